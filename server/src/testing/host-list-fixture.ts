/** Seven hosts of one organization in two networks, in every state, for tests of the list of hosts. */
import {
  blockHostV2,
  createRole,
  type HostV2,
  type Input,
  listHostsV2,
  PAGE_SIZE_MAX,
} from "@lightkeeper/contract";
import { afterAll, beforeAll } from "vitest";
import { createFleet, type Fleet } from "./fleet.ts";
import { DAY_MS, type Session, startTestServer, type TestServer } from "./server.ts";

export type HostQuery = NonNullable<Input<typeof listHostsV2>["query"]>;

export let server: TestServer;
export let owner: Session;
export let stranger: Session;
export let fleets: [Fleet, Fleet];
export let roleIDs: string[];
export let hosts: HostV2[];
export let expiresSoonAt: Date;

export const list = (query: HostQuery = {}) =>
  owner.call(listHostsV2, { query: { pageSize: PAGE_SIZE_MAX, ...query } });
export const namesOf = async (query: HostQuery) => (await list(query)).data.map(({ name }) => name).sort();

/** Writes what only agents change. */
const setColumns = (name: string, columns: string, ...values: unknown[]) =>
  server.query(`update hosts set ${columns} where name = $1`, [name, ...values]);

async function addHosts([fleet, other]: [Fleet, Fleet], [database = "", web = ""]: string[]): Promise<void> {
  const lighthouse = { listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] };
  await fleet.add({ name: "Delta", roleID: database, tags: ["env:prod", "app:db"] });
  await fleet.add({ name: "alpha", roleID: web, tags: ["env:prod"] });
  await other.add({ name: "Charlie", tags: ["env:test"] });
  await other.add({ name: "bravo_1", isLighthouse: true, ...lighthouse });
  await other.add({ name: "bravo%2", isRelay: true, ...lighthouse });
  await fleet.add({ name: "echo", roleID: web });
  const blocked = await fleet.add({ name: "Foxtrot" });
  await owner.call(blockHostV2, { params: { hostID: blocked.id } });
}

/** Sets what the agents of the hosts report. */
async function setAgentStates(): Promise<void> {
  const now = new Date();
  expiresSoonAt = new Date(now.getTime() + 29 * DAY_MS);
  const enrolled = "enrolled_at = $2, agent_name = $3, agent_version = $4";
  await setColumns("Delta", `${enrolled}, is_online = true`, now, "lightkeeper-agent", "test");
  await setColumns("alpha", `${enrolled}, is_drifted = true`, now, "lightkeeper-agent", "0.0.1");
  await server.query(
    `insert into host_reports (host_id, organization_id, config_hash, nebula_version, tunnels, reported_at)
     select id, organization_id, '', '1.9.3', '[]', now() from hosts where name = 'Delta'`,
  );
  await setColumns(
    "Charlie",
    `${enrolled}, certificate_expires_at = $5`,
    now,
    "dnclient",
    "0.8.4",
    expiresSoonAt,
  );
  const endpoint = "eoidcuser-AAAAAAAAAAAAAAAAAAAAAAAAAA";
  await setColumns("echo", `${enrolled}, endpoint_oidc_user_id = $5`, now, "mobile", "1.0", endpoint);
  await server.query(
    `update host_presence set last_seen_at = seen.at
     from (values ('Delta', timestamptz '2026-03-01'), ('alpha', timestamptz '2026-01-01'),
       ('Charlie', timestamptz '2026-02-01')) seen (name, at), hosts
     where hosts.name = seen.name and host_presence.host_id = hosts.id`,
  );
}

/** Registers the hooks that start a server and create the hosts. */
export function useHostList(): void {
  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.signUp();
    stranger = await server.signUp();
    fleets = [
      await createFleet(server, owner, "10.1.0.0/24"),
      await createFleet(server, owner, "10.0.0.0/24"),
    ];
    roleIDs = [];
    for (const name of ["Database", "Web 100%"])
      roleIDs.push((await owner.call(createRole, { body: { name } })).id);
    await addHosts(fleets, roleIDs);
    await setAgentStates();
    hosts = (await list()).data;
    const foreign = await createFleet(server, stranger, "10.1.0.0/24");
    await foreign.add({ name: "Delta of others", tags: ["env:prod"] });
  });
  afterAll(() => server.close());
}
