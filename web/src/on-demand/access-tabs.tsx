import { listGuarantees, listRoles } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { formatNumber } from "../lib/format.ts";
import { totalOf } from "../lib/list-page.ts";
import { read } from "../lib/query.ts";
import { Tabs } from "../ui/controls/tabs.tsx";
import styles from "./access-tabs.module.css";

/** The total count comes with any page, so a page of one is enough. */
const countQuery = { query: { includeCounts: true, pageSize: 1 } };

/** Below the path of another tab. */
const RULES_TO_REVIEW = "/access/rules";

/** The tabs above roles, access, guarantees and rules to review. */
export function AccessTabs() {
  const { pathname } = useLocation();
  const { data: roles } = useQuery(read(listRoles, countQuery));
  const { data: guarantees } = useQuery(read(listGuarantees, countQuery));
  return (
    <div className={styles.tabs}>
      <Tabs
        label="Roles and access"
        tabs={[
          { label: <Counted label="Roles" count={roles && totalOf(roles.metadata)} />, to: "/roles" },
          { label: "Access", to: "/access", end: pathname === RULES_TO_REVIEW },
          {
            label: <Counted label="Guarantees" count={guarantees && totalOf(guarantees.metadata)} />,
            to: "/guarantees",
          },
          { label: "Review", to: RULES_TO_REVIEW },
        ]}
      />
    </div>
  );
}

function Counted({ label, count }: { label: string; count: number | string | undefined }) {
  return (
    <>
      {label}
      {count !== undefined && (
        <span className={styles.count}> {typeof count === "number" ? formatNumber(count) : count}</span>
      )}
    </>
  );
}
