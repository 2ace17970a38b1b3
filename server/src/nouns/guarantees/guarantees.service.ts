import { GUARANTEES_MAX } from "@lightkeeper/contract";
import type { LoadNetworks } from "../../features/access/answers/loaded-network.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { done, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockAllNetworksForNoKeyUpdate,
  lockGuaranteeForUpdate,
  lockOrganizationForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { guaranteeEntry } from "./guarantee-entry.ts";
import {
  canonicalSelector,
  type GuaranteeBody,
  requireSuspensionEnd,
  requireValidGuarantee,
} from "./guarantee-input.ts";
import {
  type EvaluatedGuarantee,
  evaluateInNetworks,
  type GuaranteeResult,
  toAccessGuarantee,
} from "./guarantee-state.ts";
import {
  countGuarantees,
  countRejectedChanges,
  findGuarantee,
  type GuaranteeRow,
} from "./guarantees.queries.ts";

interface Request {
  actor: Actor;
  now: Date;
  networks: LoadNetworks;
}

const columns = (body: GuaranteeBody, now: Date) => ({
  type: body.type,
  source: JSON.stringify(body.source),
  destination: JSON.stringify(canonicalSelector(body.destination)),
  protocol: body.protocol,
  port_range: body.portRange && JSON.stringify(body.portRange),
  network_id: body.networkID,
  description: body.description,
  modified_at: now,
});

/** The networks are locked, so that no change can be made between the evaluation and the commit. */
async function evaluateLocked(
  { actor, networks }: Request,
  guarantee: Parameters<typeof evaluateInNetworks>[1],
): Promise<GuaranteeResult> {
  return evaluateInNetworks(await networks.all(actor.organization.id), guarantee);
}

const failingSince = ({ brokenPairCount }: GuaranteeResult, before: Date | null, now: Date) =>
  brokenPairCount > 0 ? (before ?? now) : null;

export async function createGuarantee(
  tx: Writer,
  request: Request & { body: GuaranteeBody },
): Promise<Outcome<EvaluatedGuarantee>> {
  const { actor, body, now } = request;
  const organizationID = actor.organization.id;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  await lockAllNetworksForNoKeyUpdate(tx, organizationID);
  if ((await countGuarantees(tx, organizationID)) >= GUARANTEES_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: GUARANTEES_MAX } });
  await requireValidGuarantee(tx, organizationID, body);
  const id = newId("guarantee");
  const result = await evaluateLocked(request, { id, ...body });
  const row = await tx
    .insertInto("guarantees")
    .values({
      id,
      organization_id: organizationID,
      ...columns(body, now),
      failing_since: failingSince(result, null, now),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const entry = guaranteeEntry(authorOf(actor), id, { event: "CREATED", before: null, after: row });
  return done({ row, result, rejectedChangeCount: 0 }, entry);
}

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<GuaranteeRow> {
  const row = await lockGuaranteeForUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

type Changes = Partial<ReturnType<typeof columns>> &
  Partial<Pick<GuaranteeRow, "failing_since" | "suspended_until" | "suspension_reason">>;

async function storeChanges(
  tx: Writer,
  { actor, now }: Request,
  before: GuaranteeRow,
  { changes, result }: { changes: Changes; result: GuaranteeResult },
): Promise<Outcome<EvaluatedGuarantee>> {
  const { id, organization_id: organizationID } = before;
  const after = await tx
    .updateTable("guarantees")
    .set({ ...changes, modified_at: now })
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const counts = await countRejectedChanges(tx, organizationID, { ids: [id], now });
  const evaluated = { row: after, result, rejectedChangeCount: counts.get(id) ?? 0 };
  return done(evaluated, guaranteeEntry(authorOf(actor), id, { event: "UPDATED", before, after }));
}

export async function updateGuarantee(
  tx: Writer,
  request: Request & { id: string; body: GuaranteeBody },
): Promise<Outcome<EvaluatedGuarantee>> {
  const { actor, id, body, now } = request;
  await lockAllNetworksForNoKeyUpdate(tx, actor.organization.id);
  const before = await getLocked(tx, actor, id);
  await requireValidGuarantee(tx, actor.organization.id, body);
  const result = await evaluateLocked(request, { id, ...body });
  const changes = {
    ...columns(body, now),
    failing_since: failingSince(result, before.failing_since, now),
  };
  return storeChanges(tx, request, before, { changes, result });
}

export async function deleteGuarantee(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const before = await getLocked(tx, actor, id);
  await tx
    .deleteFrom("guarantees")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, guaranteeEntry(authorOf(actor), id, { event: "DELETED", before, after: null }));
}

export async function suspendGuarantee(
  tx: Writer,
  request: Request & { id: string; body: { reason: string; until: string } },
): Promise<Outcome<EvaluatedGuarantee>> {
  const { actor, id, body, now } = request;
  const before = await getLocked(tx, actor, id);
  const changes = {
    suspended_until: requireSuspensionEnd(body.until, now),
    suspension_reason: body.reason,
  };
  const result = await evaluateLocked(request, toAccessGuarantee(before));
  return storeChanges(tx, request, before, { changes, result });
}

/** Changes that were made in the meantime may have broken the guarantee. */
export async function resumeGuarantee(
  tx: Writer,
  request: Request & { id: string },
): Promise<Outcome<EvaluatedGuarantee>> {
  const { actor, id, now } = request;
  const organizationID = actor.organization.id;
  const current = await findGuarantee(tx, organizationID, id);
  if (!current) throw new ApiError("ERR_NOT_FOUND");
  if (current.suspended_until === null) {
    const counts = await countRejectedChanges(tx, organizationID, { ids: [id], now });
    const result = await evaluateLocked(request, toAccessGuarantee(current));
    return unchanged({ row: current, result, rejectedChangeCount: counts.get(id) ?? 0 });
  }
  await lockAllNetworksForNoKeyUpdate(tx, organizationID);
  const before = await getLocked(tx, actor, id);
  const result = await evaluateLocked(request, toAccessGuarantee(before));
  const changes = {
    suspended_until: null,
    suspension_reason: null,
    failing_since: failingSince(result, before.failing_since, now),
  };
  return storeChanges(tx, request, before, { changes, result });
}
