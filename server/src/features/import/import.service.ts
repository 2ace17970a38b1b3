/** An import is planned first and applied later, exactly as planned or not at all. */
import { isDeepStrictEqual } from "node:util";
import type { BodyOf, DataOf, applyImport as applyEndpoint, ImportPlan } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { done, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Actor } from "../../infrastructure/http/actor.ts";
import { applyPlan } from "./apply.ts";
import { findPlan, storePlan, takePlan } from "./import.queries.ts";
import type { ImportParser } from "./import-parser.ts";
import { type Plan, planItems } from "./plan.ts";
import type { ImportFile } from "./read-items.ts";
import type { ParsedItems } from "./items.ts";
import { findExistingState } from "./existing-state.ts";
import { lockReferences } from "./lock-references.ts";
import { HOUR_MS } from "../../infrastructure/time/durations.ts";

const PLAN_LIFETIME_MS = HOUR_MS;

interface PlanImportInput {
  actor: Actor;
  now: Date;
  file: ImportFile;
  parseFile: ImportParser;
}

export async function planImport(
  ctx: Context,
  { actor, now, file, parseFile }: PlanImportInput,
): Promise<ImportPlan> {
  const organizationID = actor.organization.id;
  const parsed = await parseFile(file);
  const items = JSON.parse(parsed) as ParsedItems;
  const limit = ctx.config.freePlanHostLimit;
  const state = await findExistingState(ctx.reader, organizationID, { items, limit });
  const { plan } = await planItems(items, state);
  const planToken = newToken();
  const expiresAt = new Date(now.getTime() + PLAN_LIFETIME_MS);
  const key = { organizationID, tokenHash: hashToken(planToken) };
  await storePlan(ctx.unaudited, key, { items: parsed, plan, expiresAt });
  return { planToken, ...plan };
}

const planTokenError = (message: string) => new ApiError("ERR_INVALID_VALUE", { path: "planToken", message });
const planNotFound = () =>
  planTokenError("plan not found: it was already used, has expired or belongs to another organization");
const planOutdated = () => planTokenError("the plan is out of date: create a new one");

interface ApplyImportInput extends BodyOf<typeof applyEndpoint> {
  actor: Actor;
  now: Date;
}

type ApplyResult = DataOf<typeof applyEndpoint>;

export async function applyImport(
  ctx: Context,
  tx: Writer,
  { actor, now, planToken }: ApplyImportInput,
): Promise<Outcome<ApplyResult>> {
  const organizationID = actor.organization.id;
  const key = { organizationID, tokenHash: hashToken(planToken) };
  const stored = await findPlan(tx, key, now);
  if (!stored) throw planNotFound();
  const { items } = stored;
  const hasChanges = stored.plan.create.length + stored.plan.change.length > 0;
  if (hasChanges) {
    await lockReferences(tx, organizationID, items);
    if (!(await takePlan(tx, key))) throw planNotFound();
  }
  const limit = ctx.config.freePlanHostLimit;
  const state = await findExistingState(tx, organizationID, { items, limit });
  const planned = await planItems(items, state);
  if (!isSamePlan(planned.plan, stored.plan)) throw planOutdated();
  const applied = { created: planned.plan.create.length, changed: planned.plan.change.length };
  if (!hasChanges) return unchanged(applied);
  const [first, ...rest] = await applyPlan(ctx, tx, { actor, now, planned }).catch(reportOutdated);
  if (!first) throw new Error("The plan had changes, but nothing was presentKeys");
  return done(applied, first, ...rest);
}

/** Not everything can be locked in advance, for example the name of a role that does not exist yet. */
function reportOutdated(error: unknown): never {
  throw error instanceof ApiError ? planOutdated() : error;
}

/** Compares as JSON: the stored plan has no undefined values. */
const isSamePlan = (fresh: Plan, stored: Plan) =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(fresh)), stored);
