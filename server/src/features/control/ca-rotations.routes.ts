import * as contract from "@lightkeeper/contract";
import type { CaRotation } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findNetwork, findRotation, type RotationRow, waitingHosts } from "./ca-rotations.queries.ts";
import { startRotation } from "./ca-rotations.service.ts";
import { readWaitingHosts } from "./waiting-hosts.queries.ts";

type WaitingFor = CaRotation["waitingFor"];

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
  if (rotation.step === "DONE") return { hostCount: 0, hosts: [] };
  const { hostCount, hosts } = await readWaitingHosts(waitingHosts(db, rotation, now), now);
  return {
    hostCount,
    hosts: hosts.map(({ id, name, isOnline, lastSeenAt }) => ({ id, name, isOnline, lastSeenAt })),
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
