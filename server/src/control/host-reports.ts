/** What hosts say they run, and whether that is what they should. */
import type { ReportStatus } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import { writeDrift } from "../agents/presence.service.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { desiredState } from "./compile.ts";
import { isRightlyCertified } from "./needed-updates.ts";
import type { Snapshots } from "./snapshots.ts";

const TUNNELS_MAX = 1000;

const instant = (text: string) => (Number.isNaN(Date.parse(text)) ? null : new Date(text));

export function createHostReports(ctx: Context, snapshots: Snapshots) {
  return async function report(call: AgentCall, status: ReportStatus): Promise<void> {
    const { host, now } = call;
    const columns = {
      config_hash: status.configHash,
      nebula_version: status.nebulaVersion,
      applied_at: instant(status.appliedAt),
      error: status.error ?? null,
      tunnels: JSON.stringify((status.tunnels ?? []).slice(0, TUNNELS_MAX)),
      reported_at: now,
    };
    await ctx.bookkeeper.transaction().execute(async (tx) => {
      // Held against those who block it, and with that forget what it said.
      const known = await tx
        .selectFrom("hosts")
        .select("id")
        .where("id", "=", host.id)
        .where("is_blocked", "=", false)
        .forKeyShare()
        .executeTakeFirst();
      if (!known) throw new ApiError("ERR_UNAUTHORIZED");
      await tx
        .insertInto("host_reports")
        .values({ host_id: host.id, organization_id: host.organizationID, ...columns })
        .onConflict((conflict) => conflict.column("host_id").doUpdateSet(columns))
        .execute();
    });
    const isDrifted = await differs(call, status);
    if (isDrifted !== host.presence.isDrifted) await writeDrift(ctx.bookkeeper, host, isDrifted);
  };

  /** It runs something else than it was sent, or was sent something else than it should run by now. */
  async function differs({ host, client }: AgentCall, status: ReportStatus): Promise<boolean> {
    if (status.error || status.configHash !== host.sentHash) return true;
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) return false;
    const desired = desiredState(snapshot, host, client.nebulaVersion);
    return host.configHash !== desired.configHash || !isRightlyCertified(host, desired, snapshot);
  }
}
