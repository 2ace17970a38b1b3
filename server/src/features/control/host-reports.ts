/** The configurations that hosts report, compared with those that they should run. */
import type { Noun } from "@lightkeeper/contract";
import type { ReportedTunnel, ReportStatus } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import { createDriftRecorder } from "../../nouns/hosts/host-presence.service.ts";
import { createReportStore, type ShownReport } from "../../nouns/hosts/host-reports.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { throttleChanges } from "../../infrastructure/changes/change-throttle.ts";
import type { DesiredStates } from "./desired-states.ts";
import { hasDesiredIdentity } from "./needed-updates.ts";
import type { Snapshots } from "./snapshots.ts";

const TUNNELS_MAX = 1000;

export interface HostReports {
  report: (call: AgentCall, status: ReportStatus) => Promise<void>;
  stop: () => void;
}

interface Parts {
  snapshots: Snapshots;
  desired: DesiredStates;
}

/** Equal for reports that lists of hosts, and what needs attention, show alike. */
const listedPart = ({ config_hash, nebula_version, error }: ShownReport) =>
  JSON.stringify([config_hash, nebula_version, error]);

/** Equal for reports whose further details the page of a host and the map show alike. */
const detailsOf = ({ tunnels, system }: ShownReport) =>
  JSON.stringify([
    tunnels?.map((tunnel) => JSON.stringify(shownTunnel(tunnel))).sort(),
    system && [system.os, system.kernel, system.arch],
  ]);

/** The noun whose pages the report changes. */
function findChangedNoun(before: ShownReport, after: ShownReport): Noun | undefined {
  if (listedPart(before) !== listedPart(after)) return "hosts";
  return detailsOf(before) === detailsOf(after) ? undefined : "host-state";
}

const shownTunnel = ({ vpnIp, remoteAddress, relays, handshakeAt, latencyMs }: ReportedTunnel) => [
  vpnIp,
  remoteAddress,
  relays,
  handshakeAt,
  latencyMs,
];

const runsSentConfig = ({ host }: AgentCall, { error, configHash }: ReportStatus) =>
  !error && configHash === host.sentHash;

export function createHostReports(ctx: Context, { snapshots, desired: desiredStates }: Parts): HostReports {
  const storeReport = createReportStore(ctx.unaudited);
  const recordDrift = createDriftRecorder(ctx.unaudited);
  // By network and without the host: with an id, every process would check whether that host waits.
  const changes = throttleChanges<OrganizationChange>((change) => {
    announce(ctx.unaudited, change).catch((error: unknown) =>
      ctx.log.warn({ err: error }, "could not announce the reports of hosts"),
    );
  });

  async function report(call: AgentCall, status: ReportStatus): Promise<void> {
    const { host, now } = call;
    const report = {
      host_id: host.id,
      organization_id: host.organizationID,
      config_hash: status.configHash,
      nebula_version: status.nebulaVersion,
      applied_at: new Date(status.appliedAt),
      error: status.error ?? null,
      tunnels: status.tunnels?.slice(0, TUNNELS_MAX) ?? null,
      system: status.system ?? null,
      revision: runsSentConfig(call, status) ? host.revision : null,
      traffic: status.traffic ?? null,
      reported_at: now,
    };
    const before = await storeReport(report);
    if (!before) throw new ApiError("ERR_UNAUTHORIZED");
    const noun = findChangedNoun(before, { ...report, tunnels: report.tunnels ?? before.tunnels });
    const { networkID, organizationID } = host;
    if (noun) changes.add({ noun, networkID, organizationID });
    const isDrifted = await isOutOfSync(call, status);
    if (isDrifted !== host.presence.isDrifted)
      await recordDrift({ id: host.id, networkID, organizationID, isDrifted });
  }

  /** The host runs another configuration than it was sent, or was sent another than it should run now. */
  async function isOutOfSync(call: AgentCall, status: ReportStatus): Promise<boolean> {
    if (!runsSentConfig(call, status)) return true;
    const { host, client } = call;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return false;
    const desired = desiredStates(snapshot, host, client.nebulaVersion);
    return host.configHash !== desired.configHash || !hasDesiredIdentity(host, desired, snapshot);
  }

  return { report, stop: changes.stop };
}
