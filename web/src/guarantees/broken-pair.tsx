import type { Counterexample, Guarantee } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { CounterexamplePreview, ruleSourcePath } from "../preview/counterexample-preview.tsx";
import { accessPath } from "../references/access-paths.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import styles from "./guarantees.module.css";

/** The page that checks the connection, except for protocols that it doesn't know. */
export function checkPathOf({ source, destination, traffic }: Counterexample): string | undefined {
  const { protocol, portRange } = traffic;
  if (protocol === "OTHER") return undefined;
  return accessPath({
    source: source.id,
    destination: destination.host?.id ?? destination.address,
    protocol,
    port: protocol === "ICMP" ? undefined : String(portRange?.from ?? 1),
  });
}

interface BrokenPairProps {
  guarantee: Guarantee;
  onSuspend: (guarantee: Guarantee) => void;
}

/** Below a failing guarantee: one pair of hosts that breaks it. */
export function BrokenPair({ guarantee, onSuspend }: BrokenPairProps) {
  const isReadOnly = useReadOnly();
  const { counterexample, pairCount, brokenPairCount } = guarantee;
  if (!counterexample) return null;
  return (
    <div className={styles.broken}>
      <p>
        <BrokenCount pairCount={pairCount} brokenPairCount={brokenPairCount} />{" "}
        <CounterexamplePreview counterexample={counterexample} />
      </p>
      <div className={styles.brokenActions}>
        {!isReadOnly && (
          <Button size="small" variant="quiet" onClick={() => onSuspend(guarantee)}>
            Suspend…
          </Button>
        )}
        <ExplanationLink counterexample={counterexample} />
      </div>
    </div>
  );
}

/** The rule that allows the connection; if none does, the check that suggests one. */
function ExplanationLink({ counterexample }: { counterexample: Counterexample }) {
  if (counterexample.rule)
    return (
      <LinkButton size="small" to={ruleSourcePath(counterexample.rule.source)}>
        Review rule
      </LinkButton>
    );
  const path = checkPathOf(counterexample);
  return (
    path && (
      <LinkButton size="small" to={path}>
        Check access
      </LinkButton>
    )
  );
}

/** "1 of 144 pairs breaks the guarantee:" */
export function BrokenCount({
  pairCount,
  brokenPairCount,
}: Pick<Guarantee, "pairCount" | "brokenPairCount">) {
  return (
    <span className={styles.count}>
      {formatNumber(brokenPairCount)} of {formatCount(pairCount, "pair")}{" "}
      {brokenPairCount === 1 ? "breaks" : "break"} the guarantee:
    </span>
  );
}
