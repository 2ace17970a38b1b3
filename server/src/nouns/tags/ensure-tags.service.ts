/** Tags that are created because a host or rule names them. */
import { sql } from "kysely";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { markLocks, recordLocked } from "../../infrastructure/db/lock-order.ts";
import { lockOrganizationForNoKeyUpdate, lockTagsForKeyShare } from "../../infrastructure/db/locks.ts";
import { tagEntry } from "./tag-entry.ts";
import { topPriority } from "./tag-order.ts";

export interface NamedTags {
  author: Author;
  names: readonly string[];
  now: Date;
}

/**
 * Locks the tags against deletion and creates missing ones with the highest priority. Call once, with all names, before
 * anything but the organization is locked.
 */
export async function ensureTags(tx: Writer, { author, names, now }: NamedTags): Promise<AuditEntry[]> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return [];
  await sql`savepoint named_tags`.execute(tx);
  const forgetLocks = markLocks(tx, "tags");
  const { length } = await lockTagsForKeyShare(tx, author.organizationID, wanted);
  const isMissingSome = length < wanted.length;
  // A request that has locked the organization may be waiting for one of these tags: unlock them before locking it.
  if (isMissingSome) {
    await sql`rollback to savepoint named_tags`.execute(tx);
    forgetLocks();
  }
  await sql`release savepoint named_tags`.execute(tx);
  if (!isMissingSome) return [];
  await lockOrganizationForNoKeyUpdate(tx, author.organizationID);
  const existing = await lockTagsForKeyShare(tx, author.organizationID, wanted);
  const existingNames = new Set(existing.map(({ name }) => name));
  const missing = wanted.filter((name) => !existingNames.has(name));
  return createTags(tx, { author, names: missing, now });
}

async function createTags(tx: Writer, { author, names, now }: NamedTags): Promise<AuditEntry[]> {
  if (names.length === 0) return [];
  const firstPriority = await topPriority(tx, author.organizationID);
  await sql`
    insert into tags (organization_id, name, description, priority, config_overrides, firewall_rules,
        created_at, modified_at)
      select ${author.organizationID}, name, '', ${firstPriority}::integer + position - 1, '[]', '[]',
        ${now}::timestamptz, ${now}::timestamptz
      from unnest(${names}::text[]) with ordinality missing (name, position)`.execute(tx);
  recordLocked(tx, "tags", names);
  return names.map((name, index) => {
    const after = {
      description: "",
      priority: firstPriority + index,
      config_overrides: [],
      route_subscriptions: [],
      firewall_rules: [],
    };
    return tagEntry(author, name, { event: "CREATED", before: null, after });
  });
}
