/** Tags that come to be by being named. */
import { sql } from "kysely";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { tagEntry } from "./tag-entry.ts";
import { lockTags, topPriority } from "./tag-order.ts";

export interface NamedTags {
  author: Author;
  names: readonly string[];
  now: Date;
}

/**
 * Every tag of these names is there, and stays there until the transaction ends; those that were not are made,
 * above all others, with an entry each. To be called once, with all the names, before anything but the
 * organization is locked.
 */
export async function ensureTags(tx: Writer, { author, names, now }: NamedTags): Promise<AuditEntry[]> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return [];
  await sql`savepoint named_tags`.execute(tx);
  const { size } = await holdTags(tx, author.organizationID, wanted);
  const isMissingSome = size < wanted.length;
  // Who holds the organization may be waiting for a tag that is held here: let go of all before queueing for it.
  if (isMissingSome) await sql`rollback to savepoint named_tags`.execute(tx);
  await sql`release savepoint named_tags`.execute(tx);
  if (!isMissingSome) return [];
  await lockTags(tx, author.organizationID);
  const held = await holdTags(tx, author.organizationID, wanted);
  const missing = wanted.filter((name) => !held.has(name));
  return createTags(tx, { author, names: missing, now });
}

async function holdTags(tx: Writer, organizationID: string, names: string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("tags")
    .select("name")
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`name = any(${names}::text[])`)
    .orderBy("name")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ name }) => name));
}

async function createTags(tx: Writer, { author, names, now }: NamedTags): Promise<AuditEntry[]> {
  if (names.length === 0) return [];
  const lowest = await topPriority(tx, author.organizationID);
  await sql`
    insert into tags (organization_id, name, description, priority, config_overrides, firewall_rules,
        created_at, modified_at)
      select ${author.organizationID}, name, '', ${lowest}::integer + place - 1, '[]', '[]',
        ${now}::timestamptz, ${now}::timestamptz
      from unnest(${names}::text[]) with ordinality missing (name, place)`.execute(tx);
  return names.map((name, index) => {
    const after = {
      description: "",
      priority: lowest + index,
      config_overrides: [],
      route_subscriptions: [],
      firewall_rules: [],
    };
    return tagEntry(author, name, { event: "CREATED", before: null, after });
  });
}
