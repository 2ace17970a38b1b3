import * as contract from "@lightkeeper/contract";
import type { NetworkUpgrade } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome, type Outcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findNetwork } from "./ca-rotations.queries.ts";
import { findUpgrade, type UpgradeRow, waitingHosts } from "./network-upgrades.queries.ts";
import {
  canFinish,
  canRevert,
  finishUpgrade,
  isOpen,
  revertUpgrade,
  startUpgrade,
} from "./network-upgrades.service.ts";
import { NO_HOSTS, readWaitingHosts } from "./waiting-hosts.queries.ts";

type WaitingFor = NetworkUpgrade["waitingFor"];

const toNetworkUpgrade = (row: UpgradeRow, waitingFor: WaitingFor): NetworkUpgrade => ({
  networkID: row.network_id,
  newCAID: row.new_ca_id,
  cidr: row.ipv6_cidr,
  step: row.step,
  isReverting: row.is_reverting,
  isForced: row.is_forced,
  canFinish: canFinish(row) && waitingFor.hostCount === 0,
  canRevert: canRevert(row),
  startedAt: row.started_at.toISOString(),
  stepStartedAt: row.step_started_at.toISOString(),
  waitingFor,
});

const findWaitingHosts = (db: Context["reader"], upgrade: UpgradeRow, now: Date): Promise<WaitingFor> =>
  isOpen(upgrade) ? readWaitingHosts(waitingHosts(db, upgrade, now), now) : Promise.resolve(NO_HOSTS);

const present = async (db: Context["reader"], row: UpgradeRow, now: Date): Promise<NetworkUpgrade> =>
  toNetworkUpgrade(row, await findWaitingHosts(db, row, now));

/** Presents the upgrade as it is at the end of the request. */
async function presentOutcome(
  db: Context["reader"],
  outcome: Outcome<UpgradeRow>,
  now: Date,
): Promise<Outcome<NetworkUpgrade>> {
  if (outcome.kind === "rejected") return outcome;
  const upgrade = await present(db, outcome.data, now);
  return mapOutcome(outcome, () => upgrade);
}

export function serveNetworkUpgrades(routes: Routes, ctx: Context): void {
  const changeOf = (call: { person: Actor; params: { networkID: string }; now: Date }) => ({
    ...authorOf(call.person),
    networkID: call.params.networkID,
    now: call.now,
  });
  routes.write(contract.upgradeNetwork, async (call, tx) => {
    const { force, cidr } = call.body;
    return presentOutcome(tx, await startUpgrade(tx, { ...changeOf(call), force, cidr }), call.now);
  });
  routes.write(contract.finishNetworkUpgrade, async (call, tx) =>
    presentOutcome(tx, await finishUpgrade(tx, changeOf(call)), call.now),
  );
  routes.write(contract.revertNetworkUpgrade, async (call, tx): Promise<Outcome<NetworkUpgrade | null>> => {
    const outcome = await revertUpgrade(tx, changeOf(call));
    if (outcome.kind === "rejected") return outcome;
    const { data } = outcome;
    return data ? presentOutcome(tx, { ...outcome, data }, call.now) : mapOutcome(outcome, () => null);
  });
  routes.read(contract.getNetworkUpgrade, async ({ person, params: { networkID }, now }) => {
    if (!(await findNetwork(ctx.reader, person.organization.id, networkID)))
      throw new ApiError("ERR_NOT_FOUND");
    const row = await findUpgrade(ctx.reader, networkID);
    return row ? present(ctx.reader, row, now) : null;
  });
}
