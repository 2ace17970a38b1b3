import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { Link } from "react-router";
import { allRolesQuery } from "../references/roles.queries.ts";
import { RoleIcon } from "../ui/base/icons.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { GuaranteeSentence } from "./guarantee-sentence.tsx";
import { trafficText } from "./guarantee-text.ts";
import { addPathOf } from "./guarantee-values.ts";
import { guaranteeCheckQuery, type GuaranteeInput } from "./guarantees.queries.ts";
import styles from "./guarantees.module.css";
import { suggestGuarantees } from "./suggested-guarantees.ts";

/** What guarantees are for, with suggestions from the current roles. */
export function GuaranteesEmpty({ action }: { action: ReactNode }) {
  const { data: roles } = useQuery(allRolesQuery);
  const suggestions = useMemo(() => suggestGuarantees(roles ?? []), [roles]);
  return (
    <>
      <EmptyState icon={<RoleIcon />} title="No guarantees yet" action={action}>
        Add a guarantee for each connection that must always work, and for each that must never be possible.
        Changes that break a guarantee are rejected.
      </EmptyState>
      {suggestions.length > 0 && (
        <section className={styles.suggestions} aria-labelledby="suggested-guarantees">
          <h3 id="suggested-guarantees" className={styles.suggestionsTitle}>
            Suggested for your roles
          </h3>
          <ul>
            {suggestions.map((suggestion) => (
              <li key={JSON.stringify(suggestion)}>
                <Suggestion suggestion={suggestion} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Suggestion({ suggestion }: { suggestion: GuaranteeInput }) {
  const isReadOnly = useReadOnly();
  const sentence = <GuaranteeSentence {...suggestion} />;
  const { protocol, portRange = null } = suggestion;
  return (
    <>
      <div className={styles.name}>
        {isReadOnly ? (
          <span className={styles.sentence}>{sentence}</span>
        ) : (
          <Link to={addPathOf(suggestion)} className={styles.sentence}>
            {sentence}
          </Link>
        )}
        <span className={styles.scope}>{trafficText({ protocol, portRange })} · All networks</span>
      </div>
      <SuggestionState suggestion={suggestion} />
    </>
  );
}

function SuggestionState({ suggestion }: { suggestion: GuaranteeInput }) {
  const { data } = useQuery(guaranteeCheckQuery(suggestion));
  if (!data) return null;
  if (data.state === "holds") return <Status tone="ok">Holds today</Status>;
  if (data.state === "failing") return <Status tone="bad">Doesn’t hold today</Status>;
  return <Status tone="off">Matches no hosts</Status>;
}
