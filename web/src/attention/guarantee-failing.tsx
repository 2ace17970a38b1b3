import type { Guarantee } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { GuaranteeLink } from "../guarantees/guarantee-link.tsx";
import { guaranteeQuery } from "../guarantees/guarantees.queries.ts";
import { CounterexamplePreview, ruleSourcePath } from "../preview/counterexample-preview.tsx";
import { guaranteePath } from "../references/guarantee-link.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { type ItemDescription, ObjectLink, objectOf, type ItemProps } from "./item-parts.tsx";
import styles from "./attention.module.css";

function useGuarantee({ item }: ItemProps): { id: string; guarantee: Guarantee | undefined } {
  const { id } = objectOf(item, "guarantee");
  return { id, guarantee: useQuery(guaranteeQuery(id)).data };
}

export const guaranteeFailing: ItemDescription = {
  Title: (props) => {
    const { id, guarantee } = useGuarantee(props);
    const { name } = objectOf(props.item, "guarantee");
    return (
      <>
        Guarantee failing:{" "}
        {guarantee ? (
          <GuaranteeLink guarantee={guarantee} className={styles.object} />
        ) : (
          <ObjectLink to={guaranteePath(id)}>{name || "View guarantee"}</ObjectLink>
        )}
      </>
    );
  },
  Consequence: (props) => {
    const counterexample = useGuarantee(props).guarantee?.counterexample;
    return counterexample ? (
      <CounterexamplePreview counterexample={counterexample} />
    ) : (
      "At least one connection breaks this guarantee."
    );
  },
  Action: (props) => {
    const { id, guarantee } = useGuarantee(props);
    const rule = guarantee?.counterexample?.rule;
    return (
      <LinkButton size="small" to={rule ? ruleSourcePath(rule.source) : guaranteePath(id)}>
        {rule ? "Review rule" : "View guarantee"}
      </LinkButton>
    );
  },
};
