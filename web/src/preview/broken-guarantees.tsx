import type { BrokenGuarantee } from "@lightkeeper/contract";
import { useId, type Ref } from "react";
import { Link } from "react-router";
import { guaranteePath } from "../references/guarantee-link.ts";
import { RoleIcon } from "../ui/base/icons.tsx";
import { Code } from "../ui/text/code.tsx";
import { destinationName, RuleOrigin } from "./counterexample-preview.tsx";
import { brokenTitle } from "./preview-summary.ts";
import styles from "./preview.module.css";
import { trafficLabel } from "../rules/traffic-labels.ts";

interface BrokenGuaranteesProps {
  ref: Ref<HTMLDivElement>;
  guarantees: readonly BrokenGuarantee[];
}

/** The guarantees that saving would break, each with a pair of hosts. Gets the focus when saving is prevented. */
export function BrokenGuarantees({ ref, guarantees }: BrokenGuaranteesProps) {
  const id = useId();
  return (
    <div ref={ref} tabIndex={-1} role="group" aria-labelledby={id} className={styles.broken}>
      <RoleIcon />
      <div>
        <h3 id={id}>{brokenTitle(guarantees.length)}</h3>
        {guarantees.map((guarantee) => (
          <Broken key={guarantee.id} guarantee={guarantee} />
        ))}
      </div>
    </div>
  );
}

function Broken({ guarantee: { id, description, counterexample } }: { guarantee: BrokenGuarantee }) {
  const { source, destination, traffic, rule } = counterexample;
  return (
    <>
      <p>
        <Link to={guaranteePath(id)} className={styles.guarantee} dir="auto">
          {description || "Guarantee without a description"}
        </Link>
      </p>
      <dl className={styles.pair}>
        <dt>From</dt>
        <dd>
          <Code>{source.name}</Code>
        </dd>
        <dt>To</dt>
        <dd>
          <Code>{destinationName(destination)}</Code>, {trafficLabel([traffic])}
        </dd>
        <dt>Allowed by</dt>
        <dd>{rule ? <RuleOrigin rule={rule} /> : "no rule"}</dd>
      </dl>
    </>
  );
}
