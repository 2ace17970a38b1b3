import { type NotificationRuleCreate, RULES_MAX } from "@lightkeeper/contract";
import type * as z from "zod/mini";
import { readAuditHead } from "../../infrastructure/audit-chain/entries.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import {
  lockNotificationChannelsForKeyShare,
  lockNotificationRuleForUpdate,
  lockNotificationRulesOfChannelForUpdate,
  lockOrganizationForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { countRules, findFilterNames, findRule, type RuleRow } from "./rules.queries.ts";

type RuleBody = z.output<typeof NotificationRuleCreate>;

const auditRule = (row: RuleRow) => ({
  eventType: row.event_type,
  isEnabled: row.is_enabled,
  tags: row.tags,
  roleIDs: row.role_ids,
  thresholdMinutes: row.threshold_minutes,
  days: row.days,
  channelIDs: row.channel_ids,
  quietHours: row.quiet_hours,
  digest: row.digest,
  timeZone: row.time_zone,
});

interface RuleChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: RuleRow | null;
  after: RuleRow | null;
}

const ruleEntry = (author: Author, id: string, { event, before, after }: RuleChange): AuditEntry => ({
  ...author,
  target: { type: "notificationRule", id },
  event,
  before: before && auditRule(before),
  after: after && auditRule(after),
});

const columns = (body: RuleBody, now: Date) => ({
  event_type: body.eventType,
  is_enabled: body.isEnabled,
  tags: [...new Set(body.tags)],
  role_ids: [...new Set(body.roleIDs)],
  threshold_minutes: body.thresholdMinutes,
  days: body.days,
  channel_ids: [...new Set(body.channelIDs)],
  quiet_hours: body.quietHours && JSON.stringify(body.quietHours),
  digest: body.digest,
  time_zone: body.timeZone,
  modified_at: now,
});

/** A role or tag that was deleted may stay in a rule. */
async function requireFilter(
  db: Reader,
  organizationID: string,
  body: RuleBody,
  before?: RuleRow,
): Promise<void> {
  const known = await findFilterNames(db, organizationID, body);
  const roleIDs = new Set([...known.roleIDs, ...(before?.role_ids ?? [])]);
  const unknownRole = body.roleIDs.findIndex((id) => !roleIDs.has(id));
  if (unknownRole >= 0) throw new ApiError("ERR_INVALID_REFERENCE", { path: `roleIDs[${unknownRole}]` });
  const tags = new Set([...known.tags, ...(before?.tags ?? [])]);
  const unknownTag = body.tags.findIndex((tag) => !tags.has(tag));
  if (unknownTag >= 0) throw new ApiError("ERR_INVALID_REFERENCE", { path: `tags[${unknownTag}]` });
}

async function requireChannels(tx: Writer, organizationID: string, ids: readonly string[]): Promise<void> {
  const channels = await lockNotificationChannelsForKeyShare(tx, organizationID, ids);
  const types = new Map(channels.map(({ id, type }) => [id, type]));
  for (const [index, id] of ids.entries()) {
    const path = `channelIDs[${index}]`;
    const type = types.get(id);
    if (!type) throw new ApiError("ERR_INVALID_REFERENCE", { path });
    if (type === "AUDIT_STREAM")
      throw new ApiError("ERR_INVALID_VALUE", { path, message: "is an audit stream, which needs no rule" });
  }
}

export async function createRule(
  tx: Writer,
  { actor, body, now }: { actor: Actor; body: RuleBody; now: Date },
): Promise<Outcome<RuleRow>> {
  const organizationID = actor.organization.id;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  if ((await countRules(tx, organizationID)) >= RULES_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: RULES_MAX } });
  await requireFilter(tx, organizationID, body);
  await requireChannels(tx, organizationID, body.channelIDs);
  const id = newId("rule");
  const row = await tx
    .insertInto("notification_rules")
    .values({
      id,
      organization_id: organizationID,
      ...columns(body, now),
      ...(await startAt(tx, organizationID, now)),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(row, ruleEntry(authorOf(actor), id, { event: "CREATED", before: null, after: row }));
}

/** Nothing that has happened before is reported. */
const startAt = async (db: Reader, organizationID: string, now: Date) => ({
  active_from: now,
  active_after: await readAuditHead(db, organizationID),
});

/** Changes of these start a rule afresh. */
const isRestarted = (before: RuleRow, body: RuleBody) =>
  before.event_type !== body.eventType ||
  before.threshold_minutes !== body.thresholdMinutes ||
  before.days !== body.days ||
  (!before.is_enabled && body.isEnabled);

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<RuleRow> {
  const row = await lockNotificationRuleForUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateRule(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: RuleBody; now: Date },
): Promise<Outcome<RuleRow>> {
  const organizationID = actor.organization.id;
  if (!(await findRule(tx, organizationID, id))) throw new ApiError("ERR_NOT_FOUND");
  // Channels are locked before rules.
  await requireChannels(tx, organizationID, body.channelIDs);
  const before = await getLocked(tx, actor, id);
  await requireFilter(tx, organizationID, body, before);
  const after = await tx
    .updateTable("notification_rules")
    .set({
      ...columns(body, now),
      ...(isRestarted(before, body) && (await startAt(tx, organizationID, now))),
    })
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(after, ruleEntry(authorOf(actor), id, { event: "UPDATED", before, after }));
}

export async function deleteRule(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const before = await getLocked(tx, actor, id);
  await tx
    .deleteFrom("notification_rules")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, ruleEntry(authorOf(actor), id, { event: "DELETED", before, after: null }));
}

/** When a channel is deleted, its rules stay, even without any channel. */
export async function removeChannelFromRules(
  tx: Writer,
  { author, channelID, now }: { author: Author; channelID: string; now: Date },
): Promise<AuditEntry[]> {
  const rules = await lockNotificationRulesOfChannelForUpdate(tx, author.organizationID, channelID);
  const entries: AuditEntry[] = [];
  for (const before of rules) {
    const after = await tx
      .updateTable("notification_rules")
      .set({ channel_ids: before.channel_ids.filter((id) => id !== channelID), modified_at: now })
      .where("organization_id", "=", author.organizationID)
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    entries.push(ruleEntry(author, before.id, { event: "UPDATED", before, after }));
  }
  return entries;
}
