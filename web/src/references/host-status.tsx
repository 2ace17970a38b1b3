import type { HostV2 } from "@lightkeeper/contract";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import { statusLabels } from "./host-filters.ts";
import styles from "./host-status.module.css";

type Metadata = HostV2["metadata"];

const tones = {
  blocked: "bad",
  neverEnrolled: "new",
  online: "ok",
  offline: "off",
} as const satisfies Partial<Record<Metadata["statuses"][number], StatusProps["tone"]>>;

const presences = Object.keys(tones) as (keyof typeof tones)[];

/** Online, offline, blocked or not enrolled; undefined if the server reports none of them. */
export function presenceOf({ metadata }: Pick<HostV2, "metadata">) {
  const presence = presences.find((status) => metadata.statuses.includes(status));
  return presence && { tone: tones[presence], label: statusLabels[presence] };
}

/** The presence of a host and what needs attention. */
export function HostStatus({ host: { metadata } }: { host: Pick<HostV2, "metadata"> }) {
  const presence = presenceOf({ metadata });
  return (
    <span className={styles.statuses}>
      {presence && <Status tone={presence.tone}>{presence.label}</Status>}
      <Attention {...metadata} />
    </span>
  );
}

/** One line, so that all table rows have the same height. */
function Attention({ statuses, certificateExpiresAt }: Metadata) {
  const isDrifted = statuses.includes("drifted");
  if (!statuses.includes("expiring"))
    return isDrifted ? <Status tone="drift">{statusLabels.drifted}</Status> : null;
  if (isDrifted) return <Status tone="warn">Expiring, out of sync</Status>;
  if (certificateExpiresAt === null) return <Status tone="warn">{statusLabels.expiring}</Status>;
  return (
    <Status tone="warn">
      <span>
        Expires <Time at={certificateExpiresAt} />
      </span>
    </Status>
  );
}
