import { getAttention, type HostHealth, hostStatuses } from "@lightkeeper/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fleets,
  type HostQuery,
  hosts,
  list,
  owner,
  server,
  stranger,
  useHostList,
} from "../../testing/host-list-fixture.ts";

useHostList();

type Filter = Pick<HostQuery, "filter.networkID" | "filter.isLighthouse" | "filter.isRelay">;

const healthOf = async (query: Filter = {}, session = owner): Promise<HostHealth> =>
  (await session.call(getAttention, { query })).health;

/** The filter of the list that each count links to. */
const listFilters: Record<keyof HostHealth, HostQuery> = {
  online: { "filter.status": "online" },
  offline: { "filter.status": "offline" },
  neverEnrolled: { "filter.status": "neverEnrolled" },
  blocked: { "filter.status": "blocked" },
  drifted: { "filter.status": "drifted" },
  expiring: { "filter.status": "expiring" },
  updateAvailable: { "filter.metadata.updateAvailable": true },
};

async function countListed(query: Filter): Promise<HostHealth> {
  const entries: [string, number][] = [];
  for (const [name, filter] of Object.entries(listFilters)) {
    const { metadata } = await list({ ...query, ...filter, pageSize: 1, includeCounts: true });
    entries.push([name, metadata.totalCount ?? -1]);
  }
  return Object.fromEntries(entries) as unknown as HostHealth;
}

/** The hosts that the console lists at /hosts. */
const plain = { "filter.isLighthouse": false, "filter.isRelay": false };

const sumPresences = ({ online, offline, neverEnrolled, blocked }: HostHealth) =>
  online + offline + neverEnrolled + blocked;

describe("the health of hosts", () => {
  it("counts the hosts of every state", async () => {
    expect(await healthOf()).toEqual({
      online: 1,
      offline: 3,
      neverEnrolled: 2,
      blocked: 1,
      drifted: 1,
      expiring: 1,
      updateAvailable: 1,
    });
  });

  it("counts neither lighthouses nor relays above a list without them", async () => {
    expect(await healthOf(plain)).toMatchObject({ neverEnrolled: 0, offline: 3 });
    expect(sumPresences(await healthOf(plain))).toBe(hosts.length - 2);
  });

  it("counts every status of the list's filter", () => {
    expect(Object.keys(listFilters)).toEqual(expect.arrayContaining([...hostStatuses]));
  });

  it("equals the totals of the filtered lists, and its first four counts add up to all hosts", async () => {
    const flag = fc.option(fc.boolean(), { nil: undefined });
    const anyState = fc.record({
      isOnline: fc.boolean(),
      isBlocked: fc.boolean(),
      isEnrolled: fc.boolean(),
      isDrifted: fc.boolean(),
      expiresInDays: fc.option(fc.integer({ min: -5, max: 60 })),
      version: fc.option(fc.constantFrom("test", "0.0.1", "9.9.9")),
      isLighthouse: flag,
      isRelay: flag,
      network: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
      host: fc.nat(hosts.length - 1),
    });
    await fc.assert(
      fc.asyncProperty(anyState, async ({ isLighthouse, isRelay, network, ...state }) => {
        await setState(hosts[state.host]!.id, state);
        const filter = Object.entries({
          "filter.isLighthouse": isLighthouse,
          "filter.isRelay": isRelay,
          "filter.networkID": network === undefined ? undefined : fleets[network]?.networkID,
        }).filter(([, value]) => value !== undefined);
        const query: Filter = Object.fromEntries(filter);
        const health = await healthOf(query);
        expect(health).toEqual(await countListed(query));
        expect(sumPresences(health)).toBe((await list(query)).data.length);
      }),
      { numRuns: 25 },
    );
  });

  it("is zero for a network of another organization", async () => {
    const none = Object.fromEntries(Object.keys(listFilters).map((name) => [name, 0]));
    const query = { "filter.networkID": fleets[0].networkID };
    expect(await healthOf(query, stranger)).toEqual(none);
    expect(sumPresences(await healthOf({}, stranger))).toBe(1);
  });
});

interface State {
  isOnline: boolean;
  isBlocked: boolean;
  isEnrolled: boolean;
  isDrifted: boolean;
  expiresInDays: number | null;
  version: string | null;
}

/** A host is online only if it has enrolled and isn't blocked, as the server ensures. */
async function setState(id: string, state: State): Promise<void> {
  const { isOnline, isBlocked, isEnrolled, isDrifted, expiresInDays, version } = state;
  await server.query(
    `update hosts set is_online = $2, is_blocked = $3, enrolled_at = case when $4 then now() end, is_drifted = $5,
       certificate_expires_at = now() + make_interval(days => $6), agent_name = case when $7::text is not null then 'lightkeeper-agent' end,
       agent_version = $7
     where id = $1`,
    [id, isOnline && isEnrolled && !isBlocked, isBlocked, isEnrolled, isDrifted, expiresInDays, version],
  );
}
