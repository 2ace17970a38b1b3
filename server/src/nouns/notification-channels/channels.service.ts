import {
  CHANNELS_MAX,
  isSigned,
  type NotificationChannelCreate,
  type NotificationChannelType,
  type NotificationChannelUpdate,
  SECRET_OVERLAP_HOURS,
} from "@lightkeeper/contract";
import type * as z from "zod/mini";
import { readAuditHead } from "../../infrastructure/audit-chain/entries.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockNotificationChannelForUpdate,
  lockOrganizationForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { allowedReceivers } from "../../infrastructure/outgoing/allowed-receivers.ts";
import { findUrlProblem } from "../../infrastructure/outgoing/pinned-connections.ts";
import { HOUR_MS } from "../../infrastructure/time/durations.ts";
import { maskUrl, moveToPrevious, newSecret, openUrl, sealSecret, sealUrl } from "./channel-secrets.ts";
import { type ChannelRow, countChannels } from "./channels.queries.ts";

type Server = Pick<Context, "config" | "secrets">;

/** Changes of rules when a channel is deleted; injected, because rules depend on channels. */
export type RemoveFromRules = (
  tx: Writer,
  change: { author: Author; channelID: string; now: Date },
) => Promise<AuditEntry[]>;

/** Leaves out the secrets. */
const auditChannel = (secrets: Context["secrets"], row: ChannelRow) => ({
  type: row.type,
  name: row.name,
  isEnabled: row.is_enabled,
  ...(row.type === "EMAIL"
    ? { addresses: row.addresses }
    : { url: maskUrl(row.type, openUrl(secrets, row)) }),
});

interface ChannelChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: object | null;
  after: object | null;
}

const channelEntry = (author: Author, id: string, change: ChannelChange): AuditEntry => ({
  ...author,
  target: { type: "notificationChannel", id },
  ...change,
});

const invalid = (path: "addresses" | "url", message: string) =>
  new ApiError("ERR_INVALID_VALUE", { path, message });

/** A channel has recipients or a URL, depending on its type. */
function requireTarget(
  { config }: Server,
  type: NotificationChannelType,
  { addresses, url }: { addresses: string[]; url: string | null },
): void {
  if (type === "EMAIL") {
    if (addresses.length === 0) throw invalid("addresses", "must have at least one email address");
    if (url !== null) throw invalid("url", "doesn't apply to email");
    return;
  }
  if (addresses.length > 0) throw invalid("addresses", "applies to email only");
  if (url === null) throw invalid("url", "is required");
  const problem = findUrlProblem(config.appEnv, url, allowedReceivers(config));
  if (problem !== undefined) throw invalid("url", problem);
}

interface Creation {
  actor: Actor;
  body: z.output<typeof NotificationChannelCreate>;
  now: Date;
}

export async function createChannel(
  server: Server,
  tx: Writer,
  { actor, body, now }: Creation,
): Promise<Outcome<{ row: ChannelRow; secret: string | null }>> {
  const organizationID = actor.organization.id;
  requireTarget(server, body.type, body);
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  if ((await countChannels(tx, organizationID)) >= CHANNELS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: CHANNELS_MAX } });
  const id = newId("channel");
  const secret = isSigned(body.type) ? newSecret() : null;
  const row = await tx
    .insertInto("notification_channels")
    .values({
      id,
      organization_id: organizationID,
      type: body.type,
      name: body.name,
      is_enabled: body.isEnabled,
      addresses: [...new Set(body.addresses)],
      url: sealUrl(server.secrets, id, body.url),
      secret: sealSecret(server.secrets, id, secret),
      // The stream starts with what happens after its creation.
      stream_after: body.type === "AUDIT_STREAM" ? await readAuditHead(tx, organizationID) : null,
      created_at: now,
      modified_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = auditChannel(server.secrets, row);
  return done({ row, secret }, channelEntry(authorOf(actor), id, { event: "CREATED", before: null, after }));
}

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<ChannelRow> {
  const row = await lockNotificationChannelForUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

const updateRow = (tx: Writer, { organization_id, id }: ChannelRow) =>
  tx
    .updateTable("notification_channels")
    .where("organization_id", "=", organization_id)
    .where("id", "=", id)
    .returningAll();

interface Update {
  actor: Actor;
  id: string;
  body: z.output<typeof NotificationChannelUpdate>;
  now: Date;
}

export async function updateChannel(
  server: Server,
  tx: Writer,
  { actor, id, body, now }: Update,
): Promise<Outcome<ChannelRow>> {
  const before = await getLocked(tx, actor, id);
  const current = openUrl(server.secrets, before);
  const url = body.url !== null && body.url === maskUrl(before.type, current) ? current : body.url;
  requireTarget(server, before.type, { addresses: body.addresses, url });
  const after = await updateRow(tx, before)
    .set({
      name: body.name,
      is_enabled: body.isEnabled,
      addresses: [...new Set(body.addresses)],
      url: sealUrl(server.secrets, id, url),
      modified_at: now,
    })
    .executeTakeFirstOrThrow();
  const change = {
    event: "UPDATED",
    before: auditChannel(server.secrets, before),
    after: { ...auditChannel(server.secrets, after), ...(url !== current && { urlChanged: true }) },
  } as const;
  return done(after, channelEntry(authorOf(actor), id, change));
}

export async function rotateSecret(
  server: Server,
  tx: Writer,
  { actor, id, now }: { actor: Actor; id: string; now: Date },
): Promise<Outcome<{ row: ChannelRow; secret: string | null }>> {
  const before = await getLocked(tx, actor, id);
  if (before.secret === null)
    throw new ApiError("ERR_INVALID_VALUE", { message: "requests to this channel aren't signed" });
  const secret = newSecret();
  const row = await updateRow(tx, before)
    .set({
      secret: sealSecret(server.secrets, id, secret),
      previous_secret: moveToPrevious(server.secrets, id, before.secret),
      previous_secret_expires_at: new Date(now.getTime() + SECRET_OVERLAP_HOURS * HOUR_MS),
      modified_at: now,
    })
    .executeTakeFirstOrThrow();
  const change = {
    event: "UPDATED",
    before: auditChannel(server.secrets, before),
    after: { ...auditChannel(server.secrets, row), keyRotated: true },
  } as const;
  return done({ row, secret }, channelEntry(authorOf(actor), id, change));
}

export async function deleteChannel(
  server: Server,
  tx: Writer,
  { actor, id, now }: { actor: Actor; id: string; now: Date },
  removeFromRules: RemoveFromRules,
): Promise<Outcome<Record<string, never>>> {
  const before = await getLocked(tx, actor, id);
  const author = authorOf(actor);
  const ruleEntries = await removeFromRules(tx, { author, channelID: id, now });
  await tx
    .deleteFrom("notification_channels")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  const change = { event: "DELETED", before: auditChannel(server.secrets, before), after: null } as const;
  return done({}, channelEntry(author, id, change), ...ruleEntries);
}
