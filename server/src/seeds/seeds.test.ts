import {
  hostStatuses,
  listAuditLogs,
  listCertificateAuthorities,
  listHosts,
  listHostsV2,
  listNetworks,
  listNetworksV2,
  listRoles,
  listRoutes,
  listTags,
  verifyAuditLogs,
} from "@lightkeeper/contract";
import { validateOverride } from "@lightkeeper/nebula";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Session, startTestServer, type TestServer } from "../testing/server.ts";
import { seed } from "./seed.ts";

const HOSTS = 200;

describe("a seeded organization", () => {
  let server: TestServer;
  let owner: Session;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.signUp();
    await seed(server.ctx, { organizationID: owner.organizationID, hosts: HOSTS, now: new Date() });
  });
  afterAll(() => server.close());

  const countOf = async (filter: object) => {
    const { data, metadata } = await owner.call(listHostsV2, {
      query: { ...filter, includeCounts: true, pageSize: 500 },
    });
    expect(metadata.totalCount).toBe(data.length);
    return data.length;
  };

  it("is on a plan without a limit and has the requested number of hosts", async () => {
    expect(await server.query("select plan from organizations")).toEqual([{ plan: "pro" }]);
    expect(await countOf({})).toBe(HOSTS);
  });

  it("has hosts of every kind and state, and correct counts", async () => {
    const filters = [
      ...hostStatuses.map((status) => ({ "filter.status": status })),
      ...["mobile", "dnclient", "null"].map((platform) => ({ "filter.metadata.platform": platform })),
      ...[true, false].flatMap((flag) => [
        { "filter.isLighthouse": flag },
        { "filter.isRelay": flag },
        { "filter.isBlocked": flag },
        { "filter.metadata.updateAvailable": flag },
      ]),
      ...["any", "null"].flatMap((which) => [
        { "filter.roleID": which },
        { "filter.endpointOIDCUserID": which },
      ]),
      { "filter.metadata.lastSeenAt": "null" },
      { "filter.tag": "debug:verbose" },
      { "filter.tag": ["env:production", "tier:critical"] },
      { "filter.search": "web-fra" },
    ];
    const missing = [];
    for (const filter of filters) if ((await countOf(filter)) === 0) missing.push(filter);
    expect(missing).toEqual([]);
    const [agents] = await server.query<{ names: number; versions: number }>(
      "select count(distinct agent_name)::int as names, count(distinct agent_version)::int as versions from hosts",
    );
    expect(agents?.names).toBe(3);
    expect(agents?.versions).toBeGreaterThan(4);
  });

  it("has every host counted, tagged and recorded as if created by the API", async () => {
    expect(
      await server.query(`
        select name from networks n
        where host_count <> (select count(*) from hosts where network_id = n.id)
          or host(next_address)::inet <> (select max(ip_address) + 1 from hosts where network_id = n.id)`),
    ).toEqual([]);
    expect(
      await server.query("select host_id, tag from host_tags except select id, unnest(tags) from hosts"),
    ).toEqual([]);
    const [sums] = await server.query(`
      select (select sum(count)::int from host_counts where tag = '') as hosts,
        (select sum(count)::int from host_counts where tag <> '') as tagged,
        (select sum(cardinality(tags))::int from hosts) as tags,
        (select count(*)::int from host_presence where last_seen_at > '-infinity') as seen,
        (select count(*)::int from hosts where enrolled_at is not null) as enrolled`);
    expect(sums).toEqual({
      hosts: HOSTS,
      tagged: sums?.tags,
      tags: sums?.tags,
      seen: sums?.enrolled,
      enrolled: sums?.enrolled,
    });
  });

  it("uses every address below the next one of each network", async () => {
    const rows = await server.query<{ free: number }>(`
      select (next_address - network(cidr)::inet - 1 - host_count)::int as free from networks`);
    expect(rows.map(({ free }) => free)).toEqual([0, 0, 0]);
  });

  it("has consistent times: created, then enrolled, then seen", async () => {
    const odd = await server.query(`
      select hosts.name from hosts join host_presence on host_id = hosts.id
      where enrolled_at < hosts.created_at or modified_at < hosts.created_at or hosts.created_at > now()
        or (enrolled_at is not null and (last_seen_at < enrolled_at or last_seen_at > now()))
        or (is_online and last_seen_at < now() - interval '5 minutes')
        or certificate_expires_at < enrolled_at`);
    expect(odd).toEqual([]);
  });

  it("can be listed by every list endpoint", async () => {
    const page = { query: { includeCounts: true } } as const;
    const lists = await Promise.all([
      owner.call(listHosts, page),
      owner.call(listHostsV2, page),
      owner.call(listNetworks, page),
      owner.call(listNetworksV2, page),
      owner.call(listCertificateAuthorities, page),
      owner.call(listRoles, page),
      owner.call(listTags, page),
      owner.call(listRoutes, page),
    ]);
    expect(lists.map(({ metadata }) => metadata.totalCount)).toEqual([HOSTS, HOSTS, 3, 3, 3, 13, 20, 5]);
  });

  it("overrides only valid Nebula settings", async () => {
    const overrides = await server.query<{ key: string; value: unknown }>(`
      select one->>'key' as key, one->'value' as value
      from (select config_overrides from tags union all select config_overrides from hosts) all_of,
        jsonb_array_elements(config_overrides) one`);
    expect(overrides.length).toBeGreaterThan(15);
    expect(overrides.filter(({ key, value }) => validateOverride(key, value) !== undefined)).toEqual([]);
  });

  it("has an audit log of the last weeks with a valid chain", async () => {
    while ((await server.ctx.seal()) > 0);
    const verdict = await owner.call(verifyAuditLogs);
    expect(verdict).toMatchObject({ ok: true });
    const [recent] = await server.query<{ count: number; events: number }>(`
      select count(*)::int, count(distinct event_type)::int as events from audit_logs
      where created_at between now() - interval '6 weeks' and now() - interval '5 minutes'`);
    expect(recent?.count).toBeGreaterThan(150);
    expect(recent?.events).toBeGreaterThan(6);
    const { data } = await owner.call(listAuditLogs, { query: { pageSize: 500 } });
    expect(data.length).toBeGreaterThan(200);
  });
});

describe("seeding", () => {
  const TABLES = [
    "organizations",
    "networks",
    "roles",
    "tags",
    "hosts",
    "host_tags",
    "host_presence",
    "host_counts",
    "routes",
    "route_subscriptions",
    "api_keys",
  ];
  const organizationID = `org-${"A".repeat(26)}`;
  const now = new Date("2026-05-01T12:00:00Z");

  async function rowsOf(seedNumber: number): Promise<Record<string, unknown[]>> {
    const server = await startTestServer();
    try {
      await server.query(
        "insert into organizations (id, name, plan, created_at) values ($1, 'Example', 'free', $2)",
        [organizationID, now],
      );
      await seed(server.ctx, { organizationID, hosts: HOSTS, now, seed: seedNumber });
      const tables: Record<string, unknown[]> = {};
      for (const table of TABLES) tables[table] = await server.query(`select * from ${table} t order by t`);
      tables.certificate_authorities = await server.query(
        "select id, network_id, name, state, not_before, not_after from certificate_authorities order by id",
      );
      tables.audit_logs = await server.query(
        "select * from audit_logs where target_type not in ('ca', 'organization') order by id",
      );
      return tables;
    } finally {
      await server.close();
    }
  }

  it("gives the same rows for the same seed, and others for another", async () => {
    const [one, again, other] = [await rowsOf(7), await rowsOf(7), await rowsOf(8)];
    expect(again).toEqual(one);
    expect(other.hosts).not.toEqual(one.hosts);
  });

  it("gives every organization hosts with the same names and its own IDs", async () => {
    const server = await startTestServer();
    try {
      const [first, second] = [await server.signUp(), await server.signUp()];
      for (const { organizationID } of [first, second])
        await seed(server.ctx, { organizationID, hosts: HOSTS, now });
      const namesOf = (session: Session) =>
        server.query("select name, ip_address from hosts where organization_id = $1 order by created_at", [
          session.organizationID,
        ]);
      expect(await namesOf(second)).toEqual(await namesOf(first));
    } finally {
      await server.close();
    }
  });
});
