/**
 * Fills an organization with realistic data: three networks, roles, tags, routes, hosts of every kind and state, and an
 * audit log. The same seed gives the same rows, except for the keys of CAs. For tests and benchmarks.
 */
import type { AuditActor } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../infrastructure/context/context.ts";
import { LIFT_STATEMENT_TIMEOUT } from "../infrastructure/db/connection.ts";
import { done } from "../infrastructure/db/audited.ts";
import type { Writer } from "../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../infrastructure/db/locks.ts";
import { releaseOf } from "../infrastructure/config/version.ts";
import { insertApiKey } from "./api-keys.ts";
import { createHistory } from "./history.ts";
import { insertHosts } from "./host-batches.ts";
import { insertNetwork, planNetworks } from "./networks.ts";
import { type Plan } from "./plan.ts";
import { createRandom } from "./random.ts";
import { insertRoles } from "./roles.ts";
import { insertRoutes } from "./routes.ts";
import { addLoginHistory } from "./recent-history.ts";
import { insertTags } from "./tags.ts";
import { DAY_MS } from "../infrastructure/time/durations.ts";

export interface SeedOptions {
  organizationID: string;
  /** 200 to 1,000,000. */
  hosts: number;
  now: Date;
  /** Different seeds give different data. */
  seed?: number;
}

const HOSTS_MIN = 200;
const HOSTS_MAX = 1_000_000;
const AGE_DAYS = 730;

/** Runs in one transaction. */
export async function seed(ctx: Context, options: SeedOptions): Promise<void> {
  const { organizationID, hosts } = options;
  if (hosts < HOSTS_MIN || hosts > HOSTS_MAX)
    throw new Error(`hosts must be between ${HOSTS_MIN} and ${HOSTS_MAX}`);
  await ctx.audited(async (tx) => {
    // A batch may exceed the statement timeout of requests.
    await sql.raw(LIFT_STATEMENT_TIMEOUT).execute(tx);
    const organization = await lockOrganizationForNoKeyUpdate(tx, organizationID);
    if (!organization) throw new Error(`${organizationID} does not exist`);
    await tx.updateTable("organizations").set({ plan: "pro" }).where("id", "=", organizationID).execute();
    await insertSeedData(ctx, tx, options);
    return done(undefined, {
      organizationID,
      actor: { type: "system" },
      target: { type: "organization", id: organizationID },
      event: "UPDATED",
      before: { plan: organization.plan },
      after: { plan: "pro" },
    });
  });
}

async function insertSeedData(
  ctx: Context,
  tx: Writer,
  { organizationID, hosts, now, seed = 1 }: SeedOptions,
): Promise<void> {
  const ids = createRandom(`${seed} ${organizationID}`);
  const history = createHistory(ids, organizationID, await findOwner(tx, organizationID));
  const startAt = new Date(now.getTime() - AGE_DAYS * DAY_MS);
  const plan: Plan = { organizationID, random: createRandom(`${seed}`), ids, history, startAt, now };
  const networks = planNetworks(ids, hosts);
  for (const network of networks) await insertNetwork(ctx, tx, plan, network);
  const roleIDs = await insertRoles(tx, plan);
  await insertTags(tx, plan, roleIDs);
  const key = await insertApiKey(tx, plan);
  const routerIDs = await insertHosts(tx, plan, {
    hosts,
    networks,
    roleIDs,
    key,
    newest: releaseOf(ctx.version),
  });
  await insertRoutes(tx, plan, { roleIDs, routerIDs });
  addLoginHistory(plan);
  await history.store(tx);
}

async function findOwner(tx: Writer, organizationID: string): Promise<AuditActor> {
  const user = await tx
    .selectFrom("users")
    .select(["id", "email"])
    .where("organization_id", "=", organizationID)
    .orderBy("created_at")
    .executeTakeFirst();
  return user ? { type: "user", ...user } : { type: "system" };
}
