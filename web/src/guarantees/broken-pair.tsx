import type { Guarantee } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { CounterexamplePreview, ruleSourcePath } from "../preview/counterexample-preview.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import styles from "./guarantees.module.css";

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
        {counterexample.rule && (
          <LinkButton size="small" to={ruleSourcePath(counterexample.rule.source)}>
            Review rule
          </LinkButton>
        )}
      </div>
    </div>
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
