/** What hosts say they run, and whether that is what they should. */
import type { ReportStatus } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import { writeDrift } from "../agents/presence.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { throttleChanges } from "../../infrastructure/changes/change-throttle.ts";
import type { DesiredStates } from "./desired-states.ts";
import { createReportStore, type Shown } from "./report-store.ts";
import { isRightlyCertified } from "./needed-updates.ts";
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

const inOneForm = ({ config_hash, nebula_version, error, tunnels }: Shown) =>
  JSON.stringify([config_hash, nebula_version, error, tunnels?.map(({ vpnIp }) => vpnIp).sort()]);

export function createHostReports(ctx: Context, { snapshots, desired: desiredStates }: Parts): HostReports {
  const keep = createReportStore(ctx.unaudited);
  // By network and without the host: processes hold it against the hosts that wait, of which this one is none.
  const news = throttleChanges<OrganizationChange>((change) => {
    announce(ctx.unaudited, change).catch((error: unknown) =>
      ctx.log.warn({ err: error }, "could not tell of what hosts reported"),
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
      reported_at: now,
    };
    const before = await keep(report);
    if (!before) throw new ApiError("ERR_UNAUTHORIZED");
    if (inOneForm(before) !== inOneForm({ ...report, tunnels: report.tunnels ?? before.tunnels })) {
      const { networkID, organizationID } = host;
      news.add({ noun: "hosts", networkID, organizationID });
    }
    const isDrifted = await differs(call, status);
    if (isDrifted !== host.presence.isDrifted) await writeDrift(ctx.unaudited, host, isDrifted);
  }

  /** It runs something else than it was sent, or was sent something else than it should run by now. */
  async function differs({ host, client }: AgentCall, status: ReportStatus): Promise<boolean> {
    if (status.error || status.configHash !== host.sentHash) return true;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return false;
    const desired = desiredStates(snapshot, host, client.nebulaVersion);
    return host.configHash !== desired.configHash || !isRightlyCertified(host, desired, snapshot);
  }

  return { report, stop: news.stop };
}
