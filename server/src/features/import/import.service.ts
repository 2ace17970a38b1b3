/** An import is planned first and done later, exactly as planned or not at all. */
import { isDeepStrictEqual } from "node:util";
import type { BodyOf, DataOf, applyImport as applyEndpoint, ImportPlan } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { done, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Actor } from "../../infrastructure/http/credentials.ts";
import { applyPlan } from "./apply.ts";
import { findPlan, storePlan, takePlan } from "./import.queries.ts";
import type { ImportParser } from "./import-parser.ts";
import { lockReferences } from "./lock-references.ts";
import { type Plan, planThings } from "./plan.ts";
import type { ImportFile } from "./read-things.ts";
import type { Things } from "./things.ts";
import { lookAround } from "./world.ts";
import { HOUR_MS } from "../../infrastructure/time/durations.ts";

const PLAN_LIFETIME_MS = HOUR_MS;

interface PlanImport {
  actor: Actor;
  now: Date;
  file: ImportFile;
  parseFile: ImportParser;
}

export async function planImport(
  ctx: Context,
  { actor, now, file, parseFile }: PlanImport,
): Promise<ImportPlan> {
  const organizationID = actor.organization.id;
  const parsed = await parseFile(file);
  const things = JSON.parse(parsed) as Things;
  const limit = ctx.config.freePlanHostLimit;
  const world = await lookAround(ctx.reader, organizationID, { things, limit });
  const { plan } = await planThings(things, world);
  const planToken = newToken();
  const expiresAt = new Date(now.getTime() + PLAN_LIFETIME_MS);
  const key = { organizationID, tokenHash: hashToken(planToken) };
  await storePlan(ctx.bookkeeper, key, { things: parsed, plan, expiresAt });
  return { planToken, ...plan };
}

const refused = (message: string) => new ApiError("ERR_INVALID_VALUE", { path: "planToken", message });
const noSuchPlan = () =>
  refused("there is no such plan: it was made elsewhere, has been used or has expired");
const noLongerFits = () => refused("the plan no longer fits: make a new one");

interface ApplyImport extends BodyOf<typeof applyEndpoint> {
  actor: Actor;
  now: Date;
}

type Applied = DataOf<typeof applyEndpoint>;

export async function applyImport(
  ctx: Context,
  tx: Writer,
  { actor, now, planToken }: ApplyImport,
): Promise<Outcome<Applied>> {
  const organizationID = actor.organization.id;
  const key = { organizationID, tokenHash: hashToken(planToken) };
  const stored = await findPlan(tx, key, now);
  if (!stored) throw noSuchPlan();
  const { things } = stored;
  const hasWork = stored.plan.create.length + stored.plan.change.length > 0;
  if (hasWork) {
    await lockReferences(tx, organizationID, things);
    if (!(await takePlan(tx, key))) throw noSuchPlan();
  }
  const limit = ctx.config.freePlanHostLimit;
  const world = await lookAround(tx, organizationID, { things, limit });
  const planned = await planThings(things, world);
  if (!isSamePlan(planned.plan, stored.plan)) throw noLongerFits();
  const applied = { created: planned.plan.create.length, changed: planned.plan.change.length };
  if (!hasWork) return unchanged(applied);
  const [first, ...rest] = await applyPlan(ctx, tx, { actor, now, planned }).catch(refuseOvertaken);
  if (!first) throw new Error("The plan had work, and nothing was done");
  return done(applied, first, ...rest);
}

/** Not everything can be held beforehand: a role of a name that is still free, for one. */
function refuseOvertaken(error: unknown): never {
  throw error instanceof ApiError ? noLongerFits() : error;
}

/** As JSON: what is stored has no keys without a value. */
const isSamePlan = (fresh: Plan, stored: Plan) =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(fresh)), stored);
