import type { BlockProgress, HostV2, WaitingHost } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { hostKinds, hostPath } from "../references/host-link.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Time } from "../ui/text/time.tsx";
import { ElapsedTime, formatDuration } from "./elapsed-time.tsx";
import { blockProgressQuery } from "./host-state.queries.ts";
import styles from "./block-progress-card.module.css";

/** How far the block has spread: one line when every host has acknowledged it. */
export function BlockProgressCard({ host }: { host: HostV2 }) {
  const { data: progress } = useQuery(blockProgressQuery(host.id));
  if (!progress) return null;
  return (
    <div className={styles.block}>
      {progress.completedAt === null ? (
        <Running host={host} progress={progress} />
      ) : (
        <Completed progress={progress} completedAt={progress.completedAt} />
      )}
      <Announcement progress={progress} />
    </div>
  );
}

function Completed({ progress, completedAt }: { progress: BlockProgress; completedAt: string }) {
  const { hostCount, tunnelCount, closedTunnelCount, blockedAt } = progress;
  const duration = Date.parse(completedAt) - Date.parse(blockedAt);
  const tunnels = closedTunnelCount === tunnelCount ? "" : ` ${openTunnels(progress)}`;
  return (
    <Notice tone={closedTunnelCount === tunnelCount ? "ok" : "warn"}>
      {hostCount === 0
        ? "No other host had to acknowledge the block."
        : `${formatCount(hostCount, "host")} acknowledged the block in ${formatDuration(duration)}.`}
      {tunnels} Blocked <Time at={blockedAt} past />.
    </Notice>
  );
}

const openTunnels = ({ tunnelCount, closedTunnelCount }: BlockProgress) =>
  `${formatCount(tunnelCount - closedTunnelCount, "tunnel is", "tunnels are")} still reported as open.`;

function Running({ host, progress }: { host: HostV2; progress: BlockProgress }) {
  const { hostCount, acknowledgedCount, tunnelCount, closedTunnelCount, medianDelayMs, blockedAt } = progress;
  const percent = hostCount === 0 ? 100 : (100 * acknowledgedCount) / hostCount;
  return (
    <Card
      title="Block in progress"
      padded={false}
      actions={
        <Link to={`${hostPath(host)}/activity`} className={styles.link}>
          View activity
        </Link>
      }
    >
      <dl className={styles.numbers}>
        <div>
          <dt>Hosts that acknowledged the block</dt>
          <dd>
            {formatNumber(acknowledgedCount)} <em>of {formatNumber(hostCount)}</em>
            <div className={styles.meter}>
              <div style={{ width: `${percent}%` }} />
            </div>
          </dd>
        </div>
        <div>
          <dt>Tunnels closed</dt>
          <dd>
            {formatNumber(closedTunnelCount)} <em>of {formatNumber(tunnelCount)}</em>
          </dd>
        </div>
        <div>
          <dt>Median delay</dt>
          <dd>{medianDelayMs === null ? <em>Pending</em> : formatDuration(medianDelayMs)}</dd>
        </div>
        <div>
          <dt>Elapsed</dt>
          <dd>
            <ElapsedTime since={blockedAt} />
          </dd>
        </div>
      </dl>
      {progress.waiting.length > 0 && <WaitingHosts progress={progress} />}
    </Card>
  );
}

function WaitingHosts({ progress: { waiting, waitingCount } }: { progress: BlockProgress }) {
  const more = waitingCount - waiting.length;
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Not acknowledged yet · {formatNumber(waitingCount)}</th>
            <th scope="col">Status</th>
            <th scope="col">Tunnel to this host</th>
            <th scope="col">What happens next</th>
          </tr>
        </thead>
        <tbody>
          {waiting.map((waitingHost) => (
            <WaitingRow key={waitingHost.hostID} waiting={waitingHost} />
          ))}
        </tbody>
      </table>
      {more > 0 && <p className={styles.more}>and {formatCount(more, "more host")}.</p>}
    </>
  );
}

function nextStepOf({ isOnline, isDrifted }: WaitingHost): string {
  if (!isOnline) return "Applies the block when its agent reconnects.";
  return isDrifted ? "Out of sync: can’t apply its configuration." : "Applies the block now.";
}

function WaitingRow({ waiting }: { waiting: WaitingHost }) {
  const { hostID, hostName, isOnline, hasTunnel } = waiting;
  return (
    <tr>
      <td>
        <Link to={`${hostKinds.host.path}/${encodeURIComponent(hostID)}`} dir="auto">
          {hostName}
        </Link>
      </td>
      <td data-label="Status">
        <Status tone={isOnline ? "ok" : "off"}>{isOnline ? "Online" : "Offline"}</Status>
      </td>
      <td data-label="Tunnel">
        {hasTunnel ? (
          <Status tone="bad">Still open</Status>
        ) : (
          <span className={styles.muted}>None reported</span>
        )}
      </td>
      <td data-label="Next" className={styles.muted}>
        {nextStepOf(waiting)}
      </td>
    </tr>
  );
}

/** What screen readers are told: only half, nine tenths and the end. */
function announcementOf({ hostCount, acknowledgedCount, completedAt }: BlockProgress): string {
  if (completedAt !== null) return "Every host has acknowledged the block.";
  const share = hostCount === 0 ? 1 : acknowledgedCount / hostCount;
  if (share >= 0.9) return "90 percent of the hosts have acknowledged the block.";
  return share >= 0.5 ? "Half of the hosts have acknowledged the block." : "";
}

/** Says nothing about what was already true when the page was opened. */
function Announcement({ progress }: { progress: BlockProgress }) {
  const text = announcementOf(progress);
  const [initial] = useState(text);
  return (
    <VisuallyHidden>
      <span role="status">{text === initial ? "" : text}</span>
    </VisuallyHidden>
  );
}
