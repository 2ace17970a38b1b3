import type { checkGuarantee, Counterexample, DataOf } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { Link } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { CounterexamplePreview } from "../preview/counterexample-preview.tsx";
import { useSettledValue } from "../on-demand/use-settled-value.ts";
import { Notice } from "../ui/feedback/notice.tsx";
import { BrokenCount, checkPathOf } from "./broken-pair.tsx";
import styles from "./guarantee-form.module.css";
import { toBody, type GuaranteeValues } from "./guarantee-values.ts";
import { guaranteeCheckQuery, type GuaranteeInput } from "./guarantees.queries.ts";

const CHECK_DELAY_MS = 250;
/** Never requested: the query is disabled while the sentence is incomplete. */
const placeholder: GuaranteeInput = {
  type: "MUST_REACH",
  source: { type: "any" },
  destination: { type: "any" },
  protocol: "ANY",
};

type CheckResult = DataOf<typeof checkGuarantee>;

/** Whether the guarantee in the form holds, updated while it is written. */
export function GuaranteeCheck({ isNew }: { isNew: boolean }) {
  // The form has all of its values from the start.
  const body = toBody(useWatch<GuaranteeValues>() as GuaranteeValues);
  // The description doesn't matter to the result.
  const settled = useSettledValue(body ? { ...body, description: "" } : null, CHECK_DELAY_MS);
  const { data, error } = useQuery({
    ...guaranteeCheckQuery(settled ?? placeholder),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
  });
  if (!body || !settled)
    return <p className={styles.waiting}>Complete the sentence to see whether the guarantee holds.</p>;
  if (error) return <Notice tone="info">Can’t check the guarantee. {messageOf(error)}</Notice>;
  return data ? <Result {...data} isNew={isNew} /> : <p className={styles.waiting}>Checking…</p>;
}

function Result({
  state,
  pairCount,
  brokenPairCount,
  counterexample,
  isNew,
}: CheckResult & { isNew: boolean }) {
  if (state === "holds")
    return (
      <Notice tone="ok">
        <Outcome title="Holds now">{formatCount(pairCount, "pair")} checked.</Outcome>
      </Notice>
    );
  if (state === "noHosts")
    return (
      <Notice tone="info">
        <Outcome title="Matches no hosts">
          The guarantee applies as soon as hosts match the source and the destination.
        </Outcome>
      </Notice>
    );
  return (
    <Notice tone="warn" actions={counterexample && <CheckAccessLink counterexample={counterexample} />}>
      <Outcome title="Doesn’t hold yet">
        <BrokenCount pairCount={pairCount} brokenPairCount={brokenPairCount} />{" "}
        {counterexample && <CounterexamplePreview counterexample={counterexample} />}
        {isNew && " You can add it now: it’s listed as failing, and changes that make it worse are rejected."}
      </Outcome>
    </Notice>
  );
}

function Outcome({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <b className={styles.outcome}>{title}</b>
      <p className={styles.result}>{children}</p>
    </>
  );
}

function CheckAccessLink({ counterexample }: { counterexample: Counterexample }) {
  const path = checkPathOf(counterexample);
  return (
    path && (
      <Link to={path} className={styles.link}>
        Check access
      </Link>
    )
  );
}
