/** What each index of the audit log costs when entries are written: inserts with all indexes, and without one of them. */
import { compare } from "./comparison.ts";
import type { Figure } from "./figure.ts";
import { fillAuditLog } from "./audit-logs.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

/** The minimum of the seeds. */
const HOSTS = 200;
const ENTRIES = 100_000;
const INSERTED = 2000;
const ROUNDS = 25;
const PERCENT_LIMIT = 30;

/** Like an audited write, which stores its entries as one JSON value. Their columns are those of existing entries. */
const INSERT = `
  insert into audit_logs (id, organization_id, actor, target_type, target_id, event_type, before, after, actor_address)
    select 'log-' || md5(random()::text), organization_id, actor, target_type, target_id, event_type, before, after,
      actor_address
    from jsonb_to_recordset($1::jsonb) entry (organization_id text, actor jsonb, target_type text, target_id text,
      event_type text, before jsonb, after jsonb, actor_address text)`;

async function findEntries({ query }: System, { id }: Organization): Promise<string> {
  const [row] = await query<{ entries: string }>(
    `select jsonb_agg(to_jsonb(entry))::text as entries
      from (select * from audit_logs where organization_id = $1 order by md5(id) limit ${INSERTED}) entry`,
    [id],
  );
  if (!row) throw new Error("The organization has no audit entries");
  return row.entries;
}

/** Milliseconds of an insert. The transaction is rolled back, so that the next one finds the same table. */
async function measureInsert({ query }: System, entries: string, droppedIndex?: string): Promise<number> {
  await query("begin");
  try {
    if (droppedIndex !== undefined) await query(`drop index ${droppedIndex}`);
    const startedAt = performance.now();
    await query(INSERT, [entries]);
    return performance.now() - startedAt;
  } finally {
    await query("rollback");
  }
}

async function measureIndex(system: System, entries: string, index: string): Promise<Figure> {
  const { smallMs, largeMs, rounds, retries } = await compare(
    () => measureInsert(system, entries, index),
    () => measureInsert(system, entries),
    { rounds: ROUNDS, limit: 1 / (1 - PERCENT_LIMIT / 100) },
  );
  return {
    what: `of the time of a written audit entry, for the index ${index}`,
    detail: `${INSERTED} entries in ${largeMs.toFixed(1)} ms, without the index in ${smallMs.toFixed(1)} ms, median of ${rounds}; ${ENTRIES} entries before`,
    // Noise can make an insert without a cheap index slower.
    value: Math.max(0, 100 * (1 - smallMs / largeMs)),
    unit: " %",
    limit: PERCENT_LIMIT,
    limitIs: "at most",
    retries,
  };
}

export async function auditIndexes(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const organization = await system.createOrganization(HOSTS);
    await fillAuditLog(system, organization, ENTRIES);
    await system.settle();
    const entries = await findEntries(system, organization);
    // Unique indexes are constraints: no write could do without them.
    const indexes = await system.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index
        where indrelid = 'audit_logs'::regclass and not indisunique order by name`,
    );
    const figures: Figure[] = [];
    for (const { name } of indexes) figures.push(await measureIndex(system, entries, name));
    return figures;
  } finally {
    await system.stop();
  }
}
