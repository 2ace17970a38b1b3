import * as contract from "@lightkeeper/contract";
import type { CaRotation } from "@lightkeeper/contract";
import { clampToNow } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findNetwork, findRotation, type RotationRow, waitingHosts } from "./ca-rotations.queries.ts";
import { startRotation } from "./ca-rotations.service.ts";

const SHOWN_HOSTS_MAX = 100;

type WaitingFor = CaRotation["waitingFor"];
const NO_HOSTS: WaitingFor = { hostCount: 0, hosts: [] };

const toCaRotation = (row: RotationRow, waitingFor: WaitingFor): CaRotation => ({
  networkID: row.network_id,
  oldCAID: row.old_ca_id,
  newCAID: row.new_ca_id,
  step: row.step,
  isForced: row.is_forced,
  startedAt: row.started_at.toISOString(),
  stepStartedAt: row.step_started_at.toISOString(),
  waitingFor,
});

async function findWaitingHosts(
  db: Context["reader"],
  rotation: RotationRow,
  now: Date,
): Promise<WaitingFor> {
  if (rotation.step === "DONE") return NO_HOSTS;
  const waiting = waitingHosts(db, rotation, now);
  const { count } = await waiting
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const hosts = await waiting
    .select(["hosts.id", "hosts.name", "hosts.is_online", "host_presence.last_seen_at"])
    .orderBy("hosts.name_key")
    .limit(SHOWN_HOSTS_MAX)
    .execute();
  return {
    hostCount: count,
    hosts: hosts.map(({ id, name, is_online, last_seen_at }) => ({
      id,
      name,
      isOnline: is_online,
      lastSeenAt: last_seen_at instanceof Date ? clampToNow(last_seen_at, now).toISOString() : null,
    })),
  };
}

export function serveCaRotations(routes: Routes, ctx: Context): void {
  routes.write(contract.rotateCa, async ({ person, params, body, now }, tx) => {
    const { organizationID, actor } = authorOf(person);
    const outcome = await startRotation(ctx, tx, {
      organizationID,
      actor,
      networkID: params.networkID,
      force: body.force,
      now,
    });
    if (outcome.kind === "rejected") return outcome;
    const waitingFor = await findWaitingHosts(tx, outcome.data, now);
    return mapOutcome(outcome, (row) => toCaRotation(row, waitingFor));
  });

  routes.read(contract.getCaRotation, async ({ person, params, now }) => {
    const { networkID } = params;
    if (!(await findNetwork(ctx.reader, person.organization.id, networkID)))
      throw new ApiError("ERR_NOT_FOUND");
    const row = await findRotation(ctx.reader, networkID);
    return row ? toCaRotation(row, await findWaitingHosts(ctx.reader, row, now)) : null;
  });
}
