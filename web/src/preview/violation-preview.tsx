import type { BrokenGuarantee } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { guaranteePath } from "../references/guarantee-link.ts";
import { trafficLabel } from "../rules/traffic-labels.ts";
import { Code } from "../ui/text/code.tsx";
import { destinationName, RuleOrigin } from "./counterexample-preview.tsx";
import styles from "./preview.module.css";
import { violatedGuarantees } from "./violation-values.ts";

/** The guarantees that prevented a change, each in one sentence, for places without a preview of the change. */
export function ViolationPreview({ guarantees }: { guarantees: readonly BrokenGuarantee[] }) {
  return guarantees.map((guarantee) => (
    <span key={guarantee.id} className={styles.violation}>
      <Violation guarantee={guarantee} />
    </span>
  ));
}

/** Why a call of a dialog failed, with the guarantees that it would have broken. */
export function rejectionOf(error: Error | null): ReactNode {
  const violated = violatedGuarantees(error);
  if (violated.length > 0) return <ViolationPreview guarantees={violated} />;
  return error ? messageOf(error) : undefined;
}

/** "Breaks the guarantee No contractors in databases: ci-1 could reach db-1 on TCP 5432 through tag debug, rule 1." */
function Violation({ guarantee: { id, description, counterexample } }: { guarantee: BrokenGuarantee }) {
  const { source, destination, traffic, rule } = counterexample;
  return (
    <>
      Breaks the guarantee{" "}
      <Link to={guaranteePath(id)} dir="auto">
        {description || "without a description"}
      </Link>
      : <Code>{source.name}</Code> {rule ? "could" : "couldn’t"} reach{" "}
      <Code>{destinationName(destination)}</Code> on {trafficLabel([traffic])}
      {rule ? (
        <>
          , allowed by <RuleOrigin rule={rule} />.
        </>
      ) : (
        ". No rule allows the connection."
      )}
    </>
  );
}
