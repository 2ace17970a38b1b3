import type { SavedRuleLint } from "@lightkeeper/contract";
import { Link } from "react-router";
import { rolePath } from "../references/role-link.tsx";
import { routePath } from "../references/route-link.tsx";
import { tagPath } from "../references/tag-link.tsx";
import { LintedRuleLink } from "../rules/linted-rule-link.tsx";
import { Card } from "../ui/pages/card.tsx";
import type { LintedOwner } from "./linted-owners.ts";
import styles from "./rules-to-review-page.module.css";

type OwnerType = SavedRuleLint["owner"]["type"];

const owners: Record<OwnerType, { label: string; pathOf: (id: string) => string }> = {
  role: { label: "Role", pathOf: rolePath },
  tag: { label: "Tag", pathOf: tagPath },
  route: { label: "Route", pathOf: routePath },
};

/** A role, tag or route, and its rules to review. Each links to its place in the form. */
export function OwnerCard({ owner: { type, id, name }, rules }: LintedOwner) {
  const { label, pathOf } = owners[type];
  const path = pathOf(id);
  return (
    <Card
      padded={false}
      title={
        <>
          <span className={styles.type}>{label}</span>{" "}
          <Link to={path} className={styles.owner} dir="auto">
            {name}
          </Link>
        </>
      }
    >
      <ul className={styles.rules}>
        {rules.map((rule) => (
          <li key={rule.index}>
            <LintedRuleLink {...rule} isRoute={type === "route"} formPath={path} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
