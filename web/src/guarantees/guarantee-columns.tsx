import type { Guarantee } from "@lightkeeper/contract";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import type { Column } from "../ui/tables/data-table.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { GuaranteeMenu, type GuaranteeActions } from "./guarantee-menu.tsx";
import { GuaranteeLink } from "./guarantee-link.tsx";
import { GuaranteeState } from "./guarantee-state.tsx";
import { trafficText } from "./guarantee-text.ts";
import styles from "./guarantees.module.css";

interface GuaranteeColumnsOptions extends GuaranteeActions {
  networkName: (id: string) => string | undefined;
}

export function guaranteeColumns({ networkName, ...actions }: GuaranteeColumnsOptions): Column<Guarantee>[] {
  return [
    {
      id: "guarantee",
      header: "Guarantee",
      width: "55%",
      cell: (guarantee) => (
        <div className={styles.name}>
          <GuaranteeLink guarantee={guarantee} className={styles.sentence} />
          <span className={styles.scope} dir="auto">
            {scopeOf(guarantee, networkName)}
          </span>
        </div>
      ),
    },
    {
      id: "state",
      header: "State",
      phone: (guarantee) => <GuaranteeState {...guarantee} />,
      cell: (guarantee) => <GuaranteeState {...guarantee} />,
    },
    {
      id: "pairs",
      header: "Pairs checked",
      align: "end",
      hideBelow: "narrow",
      phone: ({ pairCount }) => formatCount(pairCount, "pair"),
      cell: ({ pairCount }) => formatNumber(pairCount),
    },
    {
      id: "rejected",
      header: "Rejected changes",
      align: "end",
      hideBelow: "narrow",
      phone: ({ rejectedChangeCount }) =>
        rejectedChangeCount > 0 ? `${formatNumber(rejectedChangeCount)} rejected` : null,
      cell: (guarantee) => <RejectedChanges {...guarantee} />,
    },
    menuColumn((guarantee) => <GuaranteeMenu guarantee={guarantee} {...actions} />),
  ];
}

const dayAndMonth = new Intl.DateTimeFormat("en", { day: "numeric", month: "long" });

/** "TCP 22 (SSH) · Production · Suspended until November 20: “Migration”" */
function scopeOf(guarantee: Guarantee, networkName: GuaranteeColumnsOptions["networkName"]): string {
  const { networkID, suspension, state, description } = guarantee;
  const isSuspended = state === "suspended" && suspension !== null;
  return [
    trafficText(guarantee),
    networkID === null ? "All networks" : (networkName(networkID) ?? networkID),
    isSuspended
      ? `Suspended until ${dayAndMonth.format(new Date(suspension.until))}: “${suspension.reason}”`
      : description,
  ]
    .filter(Boolean)
    .join(" · ");
}

const rejectionsPath = (id: string) =>
  `/logs/audit?${new URLSearchParams({ "filter.targetID": id, "filter.action": "REJECTED_CHANGE", "filter.time": "30d" })}`;

function RejectedChanges({ id, rejectedChangeCount }: Pick<Guarantee, "id" | "rejectedChangeCount">) {
  if (rejectedChangeCount === 0) return <span className={styles.none}>0</span>;
  return (
    <Link
      to={rejectionsPath(id)}
      className={styles.link}
      title="Rejected in the last 30 days"
      aria-label={formatCount(rejectedChangeCount, "rejected change")}
    >
      {formatNumber(rejectedChangeCount)}
    </Link>
  );
}
