import type { HostV2 } from "@lightkeeper/contract";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import { statusNames } from "./host-filters.ts";
import styles from "./hosts.module.css";

type Metadata = HostV2["metadata"];

const tones = {
  blocked: "bad",
  neverEnrolled: "new",
  online: "ok",
  offline: "off",
} as const satisfies Partial<Record<Metadata["statuses"][number], StatusProps["tone"]>>;

const presences = Object.keys(tones) as (keyof typeof tones)[];

/** Whether a host is there, as a tone and a word; undefined where the server does not say. */
export function presenceOf({ metadata }: Pick<HostV2, "metadata">) {
  const presence = presences.find((one) => metadata.statuses.includes(one));
  return presence && { tone: tones[presence], word: statusNames[presence] };
}

/** What is true of a host: whether it is there, and what wants attention. */
export function HostStatus({ host: { metadata } }: { host: Pick<HostV2, "metadata"> }) {
  const presence = presenceOf({ metadata });
  return (
    <span className={styles.statuses}>
      {presence && <Status tone={presence.tone}>{presence.word}</Status>}
      <Attention {...metadata} />
    </span>
  );
}

/** In one line, so that no row is higher than the others. */
function Attention({ statuses, certificateExpiresAt }: Metadata) {
  const isDrifted = statuses.includes("drifted");
  if (!statuses.includes("expiring"))
    return isDrifted ? <Status tone="warn">{statusNames.drifted}</Status> : null;
  if (isDrifted) return <Status tone="warn">Expiring, drifted</Status>;
  if (certificateExpiresAt === null) return <Status tone="warn">{statusNames.expiring}</Status>;
  return (
    <Status tone="warn">
      <span>
        Expiry <Time at={certificateExpiresAt} />
      </span>
    </Status>
  );
}
