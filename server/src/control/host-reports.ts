/** What hosts say they run, and whether that is what they should. */
import type { ReportStatus } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import { writeDrift } from "../agents/presence.service.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { announce } from "../live/announce.ts";
import type { OrganizationChange } from "../live/change-feed.ts";
import { gatherChanges } from "../live/gathered-changes.ts";
import { desiredState } from "./compile.ts";
import { isRightlyCertified } from "./needed-updates.ts";
import type { Snapshots } from "./snapshots.ts";

const TUNNELS_MAX = 1000;

const instant = (text: string) => (Number.isNaN(Date.parse(text)) ? null : new Date(text));

export interface HostReports {
  report: (call: AgentCall, status: ReportStatus) => Promise<void>;
  stop: () => void;
}

/** What consoles show of a report, beside whether the host has drifted, of which they are told by itself. */
interface Shown {
  config_hash: string | null;
  nebula_version: string | null;
  error: string | null;
  tunnels: { vpnIp: string }[] | null;
}

const inOneForm = ({ config_hash, nebula_version, error, tunnels }: Shown) =>
  JSON.stringify([config_hash, nebula_version, error, tunnels?.map(({ vpnIp }) => vpnIp).sort()]);

export function createHostReports(ctx: Context, snapshots: Snapshots): HostReports {
  // By network and without the host: processes hold it against the hosts that wait, of which this one is none.
  const news = gatherChanges<OrganizationChange>((change) => {
    announce(ctx.bookkeeper, change).catch((error: unknown) =>
      ctx.log.warn({ err: error }, "could not tell of what hosts reported"),
    );
  });

  async function report(call: AgentCall, status: ReportStatus): Promise<void> {
    const { host, now } = call;
    const tunnels = (status.tunnels ?? []).slice(0, TUNNELS_MAX);
    const columns = {
      config_hash: status.configHash,
      nebula_version: status.nebulaVersion,
      applied_at: instant(status.appliedAt),
      error: status.error ?? null,
      tunnels: JSON.stringify(tunnels),
      reported_at: now,
    };
    const before = await ctx.bookkeeper.transaction().execute(async (tx) => {
      // Held against those who block it, and with that forget what it said.
      const known = await tx
        .selectFrom("hosts")
        .leftJoin("host_reports", "host_reports.host_id", "hosts.id")
        .select(["config_hash", "nebula_version", "error", "tunnels"])
        .where("hosts.id", "=", host.id)
        .where("is_blocked", "=", false)
        .forKeyShare("hosts")
        .executeTakeFirst();
      if (!known) throw new ApiError("ERR_UNAUTHORIZED");
      await tx
        .insertInto("host_reports")
        .values({ host_id: host.id, organization_id: host.organizationID, ...columns })
        .onConflict((conflict) => conflict.column("host_id").doUpdateSet(columns))
        .execute();
      return known;
    });
    if (inOneForm(before) !== inOneForm({ ...columns, tunnels })) {
      const { networkID, organizationID } = host;
      news.add({ noun: "hosts", networkID, organizationID });
    }
    const isDrifted = await differs(call, status);
    if (isDrifted !== host.presence.isDrifted) await writeDrift(ctx.bookkeeper, host, isDrifted);
  }

  /** It runs something else than it was sent, or was sent something else than it should run by now. */
  async function differs({ host, client }: AgentCall, status: ReportStatus): Promise<boolean> {
    if (status.error || status.configHash !== host.sentHash) return true;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return false;
    const desired = desiredState(snapshot, host, client.nebulaVersion);
    return host.configHash !== desired.configHash || !isRightlyCertified(host, desired, snapshot);
  }

  return { report, stop: news.stop };
}
