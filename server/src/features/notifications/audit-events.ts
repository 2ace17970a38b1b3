/**
 * Finds events in the audit log, in the order of its chain. An organization's cursor moves in the transaction that
 * records the events, so that none is lost or reported twice, whichever process is killed.
 */
import type { AuditActor, AuditEventType, NotificationEventType } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { recordEvent, type Rule } from "./record-event.ts";

const ENTRIES_PER_TRANSACTION = 1000;

interface Entry {
  sequence: number;
  actor: AuditActor;
  actor_address: string | null;
  target_type: string;
  target_id: string;
  /** The name of a host or the description of a guarantee; null if it was deleted. */
  target_name: string | null;
  /** Null unless the target is a host. */
  network_id: string | null;
  network_name: string | null;
  role_id: string | null;
  tags: string[] | null;
  event_type: AuditEventType;
  after: Record<string, unknown> | null;
  created_at: Date;
}

/** The entries that are events, and what is said about each. */
interface AuditEvent {
  targetType: "host" | "guarantee" | "user" | "apiKey";
  auditEvent: AuditEventType;
  matches?: (entry: Entry) => boolean;
  describe: (entry: Entry) => Pick<EventItem, "name" | "text" | "path">;
}

function nameOf(actor: AuditActor): string {
  switch (actor.type) {
    case "user":
    case "oidcUser":
      return actor.email;
    case "apiKey":
      return `the API key “${actor.name ?? actor.id}”`;
    case "host":
      return actor.name ?? actor.id;
    case "support":
    case "system":
      return "the server";
  }
}

const textOf = (entry: Entry, key: string): string => {
  const value = entry.after?.[key];
  return typeof value === "string" ? value : "";
};

const guaranteeName = ({ target_name }: Entry) => (target_name ? ` “${target_name}”` : "");

const auditEvents: Partial<Record<NotificationEventType, AuditEvent>> = {
  HOST_BLOCKED: {
    targetType: "host",
    auditEvent: "BLOCKED_HOST",
    describe: (entry) => {
      const name = entry.target_name ?? "A deleted host";
      const network = entry.network_name === null ? "" : ` (${entry.network_name})`;
      return {
        name,
        text: `${name}${network} was blocked by ${nameOf(entry.actor)}.`,
        path: `/hosts/${entry.target_id}`,
      };
    },
  },
  GUARANTEE_FAILING: {
    targetType: "guarantee",
    auditEvent: "STARTED_FAILING",
    describe: (entry) => ({
      name: entry.target_name ?? "",
      text: `The guarantee${guaranteeName(entry)} is failing.`,
      path: "/guarantees",
    }),
  },
  GUARANTEE_REFUSED: {
    targetType: "guarantee",
    auditEvent: "REJECTED_CHANGE",
    describe: (entry) => ({
      name: entry.target_name ?? "",
      text: `A change by ${nameOf(entry.actor)} was rejected because it breaks the guarantee${guaranteeName(entry)}.`,
      path: "/guarantees",
    }),
  },
  MEMBER_ADDED: {
    targetType: "user",
    auditEvent: "CREATED",
    matches: (entry) => entry.after?.["invited"] !== true,
    describe: (entry) => {
      const name = textOf(entry, "email");
      const role = textOf(entry, "role");
      return { name, text: `${name} joined${role && ` as ${role}`}.`, path: "/settings/members" };
    },
  },
  API_KEY_CREATED: {
    targetType: "apiKey",
    auditEvent: "CREATED",
    describe: (entry) => {
      const name = textOf(entry, "name");
      return {
        name,
        text: `The API key “${name}” was created by ${nameOf(entry.actor)}.`,
        path: `/settings/api-keys/${entry.target_id}`,
      };
    },
  },
  NEW_LOGIN_LOCATION: {
    targetType: "user",
    auditEvent: "SUCCEEDED_AUTH",
    matches: (entry) => entry.after?.["isNewLocation"] === true,
    describe: (entry) => {
      const name = nameOf(entry.actor);
      const address = entry.actor_address === null ? "" : ` The IP address is ${entry.actor_address}.`;
      return {
        name,
        text: `${name} logged in from a browser or network that they haven’t used before.${address}`,
        path: "/logs/audit",
      };
    },
  },
};

const auditEventTypes = Object.keys(auditEvents);
const auditNames = [...new Set(Object.values(auditEvents).map(({ auditEvent }) => auditEvent))];

function isMatch(rule: Rule, entry: Entry): boolean {
  if (entry.sequence <= rule.active_after) return false;
  const hasRole = rule.role_ids.length === 0 || rule.role_ids.some((id) => id === entry.role_id);
  return hasRole && rule.tags.every((tag) => entry.tags?.includes(tag));
}

function toItem(entry: Entry, { describe }: AuditEvent): EventItem {
  const { network_id: id, network_name: name } = entry;
  return {
    id: entry.target_id,
    network: id !== null && name !== null ? { id, name } : null,
    at: entry.created_at.toISOString(),
    ...describe(entry),
  };
}

/** Organizations with rules about the audit log get a cursor when their first entry has to be examined. */
async function createCursors(db: UnauditedWriter): Promise<void> {
  await sql`
    insert into notification_cursors (organization_id, audit_sequence)
      select organization_id, min(active_after) from notification_rules
        where event_type = any(${auditEventTypes}::text[])
          and not exists (select from notification_cursors cursors
            where cursors.organization_id = notification_rules.organization_id)
        group by organization_id
      on conflict do nothing`.execute(db);
}

interface Cursor {
  organization_id: string;
  audit_sequence: number;
  head: number;
}

/**
 * Locks the cursor of an organization whose log has grown, unless another process works on it. A deletion locks the
 * organization before its cursor, so this locks both.
 */
async function claimCursor(tx: UnauditedWriter): Promise<Cursor | undefined> {
  const { rows } = await sql<Cursor>`
    select cursors.organization_id, cursors.audit_sequence, heads.sequence as head
      from notification_cursors cursors join audit_heads heads using (organization_id)
      join organizations on organizations.id = cursors.organization_id
      where heads.sequence > cursors.audit_sequence
      limit 1 for update of cursors skip locked for key share of organizations skip locked`.execute(tx);
  return rows[0];
}

async function listRules(tx: UnauditedWriter, organizationID: string): Promise<Rule[]> {
  const { rows } = await sql<Rule>`
    select * from notification_rules
      where organization_id = ${organizationID} and is_enabled and event_type = any(${auditEventTypes}::text[])`.execute(
    tx,
  );
  return rows;
}

async function listEntries(
  tx: UnauditedWriter,
  { organization_id, audit_sequence }: Cursor,
  through: number,
): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select sequence, actor, actor_address, target_type, target_id, event_type, after, logs.created_at,
        coalesce(hosts.name, guarantees.description) as target_name,
        networks.id as network_id, networks.name as network_name, hosts.role_id, hosts.tags
      from audit_logs logs
      left join hosts on hosts.id = target_id and hosts.organization_id = logs.organization_id
      left join networks on networks.id = hosts.network_id
      left join guarantees on guarantees.id = target_id and guarantees.organization_id = logs.organization_id
      where logs.organization_id = ${organization_id}
        and sequence > ${audit_sequence} and sequence <= ${through}
        and event_type = any(${auditNames}::text[])
      order by sequence`.execute(tx);
  return rows;
}

/** Examines the next entries of one organization; returns whether there were any. */
async function examineEntries(ctx: Context, now: Date): Promise<boolean> {
  return ctx.unaudited.transaction().execute(async (tx) => {
    const cursor = await claimCursor(tx);
    if (!cursor) return false;
    const through = Math.min(cursor.head, cursor.audit_sequence + ENTRIES_PER_TRANSACTION);
    const rules = await listRules(tx, cursor.organization_id);
    const entries = rules.length > 0 ? await listEntries(tx, cursor, through) : [];
    for (const rule of rules) {
      const event = auditEvents[rule.event_type];
      if (!event) continue;
      const found = entries.filter((entry) => isEvent(event, entry) && isMatch(rule, entry));
      if (found.length === 0) continue;
      const items = found.map((entry) => toItem(entry, event));
      await recordEvent(tx, rule, { count: found.length, items, now });
    }
    await tx
      .updateTable("notification_cursors")
      .set({ audit_sequence: through })
      .where("organization_id", "=", cursor.organization_id)
      .execute();
    return true;
  });
}

const isEvent = ({ targetType, auditEvent, matches }: AuditEvent, entry: Entry) =>
  entry.target_type === targetType && entry.event_type === auditEvent && (matches?.(entry) ?? true);

export async function detectAuditEvents(ctx: Context, isStopped: () => boolean): Promise<void> {
  await createCursors(ctx.unaudited);
  while (!isStopped() && (await examineEntries(ctx, ctx.clock())));
}
