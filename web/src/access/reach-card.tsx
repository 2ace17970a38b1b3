import type { AccessGroup, HostAccess } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { trafficLabel } from "../rules/traffic-labels.ts";
import { Card } from "../ui/pages/card.tsx";
import styles from "./host-access.module.css";
import { ReachItem } from "./reach-item.tsx";

interface ReachCardProps {
  /** "Inbound" */
  title: string;
  lead: string;
  reaches: HostAccess["inbound"];
  /** Of all groups, not only of those that are listed. */
  groupCount: number;
  hostCount: number;
  emptyText: string;
}

const groupKey = ({ role, tags, hosts }: AccessGroup) => `${role?.id} ${tags.join()} ${hosts[0]?.id}`;

/** A group of one host is named after the host. */
function groupName({ role, hosts, hostCount }: AccessGroup): string {
  const [first] = hosts;
  return hostCount === 1 && first ? first.name : (role?.name ?? "No role");
}

function groupDetails({ role, tags, hosts, hostCount }: AccessGroup): string {
  const isHost = hostCount === 1 && hosts.length > 0;
  const count = isHost ? (role?.name ?? "No role") : formatCount(hostCount, "host");
  return [...tags, count].join(" · ");
}

/** One direction of a host's access, grouped by role and tags. */
export function ReachCard({ title, lead, reaches, groupCount, hostCount, emptyText }: ReachCardProps) {
  const more = groupCount - reaches.length;
  return (
    <Card
      title={
        <>
          {title} · {formatCount(hostCount, "host")}
        </>
      }
      padded={false}
    >
      <p className={styles.lead}>{lead}</p>
      {reaches.length === 0 ? (
        <p className={styles.empty}>{emptyText}</p>
      ) : (
        <ul aria-label={title} className={styles.list}>
          {reaches.map(({ group, traffic, rules }) => (
            <ReachItem
              key={groupKey(group)}
              name={groupName(group)}
              details={groupDetails(group)}
              traffic={trafficLabel(traffic)}
              rules={rules}
            />
          ))}
        </ul>
      )}
      {more > 0 && <p className={styles.more}>and {formatNumber(more)} more groups. Search to find them.</p>}
    </Card>
  );
}
