/** Pages of the audit log with each filter, and its export, for 10,000 and 1,000,000 entries. */
import { DAY_MS } from "@lightkeeper/contract/durations";
import { compare, toFigure } from "./comparison.ts";
import type { Figure } from "./figure.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const [SMALL, LARGE] = [10_000, 1_000_000];
/** The minimum of the seeds. */
const HOSTS = 200;
const PAGE_SIZE = 25;
const ROUNDS = 25;
const PAGE_RATIO_LIMIT = 1.3;
const MEMORY_RATIO_LIMIT = 1.2;
const EXPORT_SECONDS_LIMIT = 60;
const SAMPLE_MS = 20;
const DEEP_PAGES = 10;
const DEEP_PAGE_SIZE = 100;
/** The entries are distributed over this time. */
const YEARS = 2;

/** 1 % of the entries are deletions, 10 % are by an API key, and they are about 300 objects. */
export async function fillAuditLog(system: System, { id }: Organization, entries: number): Promise<void> {
  await system.query(
    `insert into audit_logs (id, organization_id, created_at, actor, target_type, target_id, event_type, before,
        after, actor_address)
      select 'log-' || $1 || lpad(n::text, 20, '0'), $1,
        now() - make_interval(days => 365 * ${YEARS}) * (1 - n::float / $2),
        case when n % 10 = 0 then jsonb_build_object('type', 'apiKey', 'id', 'lkkey-A', 'name', 'terraform')
          when n % 10 = 1 then '{"type":"system"}'
          else jsonb_build_object('type', 'user', 'id', 'user-' || n % 7, 'email', n % 7 || '@example.com') end,
        (array['host', 'host', 'host', 'role', 'tag', 'network'])[1 + n % 6], 'thing-' || n % 300,
        case when n % 100 = 0 then 'DELETED' when n % 5 = 0 then 'CREATED' else 'UPDATED' end,
        jsonb_build_object('name', 'web-' || n, 'description', repeat('x', 100)),
        jsonb_build_object('name', 'web-' || n, 'description', repeat('y', 100)), '192.0.2.1'
      from generate_series(1, $2::int) n`,
    [id, entries],
  );
}

const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString();

const filters: readonly { what: string; query: Record<string, string>; isDeep?: boolean }[] = [
  { what: "everything", query: {} },
  { what: "everything, a later page", query: {}, isDeep: true },
  { what: "targetType", query: { targetType: "tag" } },
  { what: "targetID", query: { targetID: "thing-7" } },
  { what: "targetType and targetID", query: { targetType: "network", targetID: "thing-5" } },
  { what: "actor by email", query: { actor: "3@example.com" } },
  { what: "actor by email, a later page", query: { actor: "3@example.com" }, isDeep: true },
  { what: "actor by id", query: { actor: "user-3" } },
  { what: "actor by kind", query: { actor: "system" } },
  { what: "action", query: { action: "DELETED" } },
  { what: "action and targetType", query: { action: "CREATED", targetType: "role" } },
  { what: "actor and action", query: { actor: "3@example.com", action: "UPDATED" } },
  { what: "a time", query: { from: day(400), to: day(200) } },
  { what: "a time of an actor", query: { from: day(400), to: day(200), actor: "lkkey-A" } },
];

const pathOf = (query: Record<string, string>, more: Record<string, string> = {}) => {
  const named = Object.entries(query).map(([name, value]): [string, string] => [`filter.${name}`, value]);
  return `/v1/audit-logs?${new URLSearchParams([...named, ...Object.entries(more)]).toString()}`;
};

async function createPage({ request }: Organization, { query, isDeep }: (typeof filters)[number]) {
  let cursor = "";
  for (let page = 0; isDeep && page < DEEP_PAGES; page++) {
    const path = pathOf(query, { pageSize: String(DEEP_PAGE_SIZE), cursor });
    cursor = (await request("GET", path)).body.metadata.nextCursor ?? "";
  }
  const path = pathOf(query, { pageSize: String(PAGE_SIZE), cursor });
  const { body } = await request("GET", path);
  if ((body.data as unknown[]).length !== PAGE_SIZE) throw new Error(`${path} is not a full page`);
  return async () => (await request("GET", path)).serverMs;
}

async function comparePages(small: Organization, large: Organization): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const one of filters) {
    const [ofSmall, ofLarge] = [await createPage(small, one), await createPage(large, one)];
    const compared = await compare(ofSmall, ofLarge, { rounds: ROUNDS, limit: PAGE_RATIO_LIMIT });
    figures.push(toFigure(one.what, compared));
  }
  return figures;
}

/** The most memory this process had, with the server in it, while it exported so many entries. */
async function peakWhileExporting({ download }: Organization, entries: number): Promise<number> {
  const samples: number[] = [];
  const sampler = setInterval(() => samples.push(process.memoryUsage.rss()), SAMPLE_MS);
  let rows = 0;
  while (rows < entries) rows += await download("/v1/audit-logs/export");
  clearInterval(sampler);
  return Math.max(...samples) / 1024 / 1024;
}

async function measureExport(small: Organization, large: Organization): Promise<Figure[]> {
  // The same number of entries both times: what a long run alone costs is not what a long log costs.
  const few = await peakWhileExporting(small, LARGE);
  const startedAt = performance.now();
  const many = await peakWhileExporting(large, LARGE);
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    {
      what: "memory while exporting",
      detail: `peak RSS ${many.toFixed(0)} to ${few.toFixed(0)} MiB`,
      value: many / few,
      unit: "×",
      limit: MEMORY_RATIO_LIMIT,
      limitIs: "at most",
    },
    {
      what: `export of ${LARGE} entries`,
      detail: "once",
      value: seconds,
      unit: " s",
      limit: EXPORT_SECONDS_LIMIT,
      limitIs: "at most",
    },
  ];
}

export async function auditLogs(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const small = await system.createOrganization(HOSTS);
    const large = await system.createOrganization(HOSTS + 1);
    await fillAuditLog(system, large, LARGE);
    await fillAuditLog(system, small, SMALL);
    await system.settle();
    const pages = await comparePages(small, large);
    return [...pages, ...(await measureExport(small, large))];
  } finally {
    await system.stop();
  }
}
