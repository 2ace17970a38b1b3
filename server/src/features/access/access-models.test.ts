import { setTimeout as sleep } from "node:timers/promises";
import {
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  deleteRole,
  updateHostV3,
  updateRole,
  updateTag,
} from "@lightkeeper/contract";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { done, unchanged } from "../../infrastructure/db/audited.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { type AccessModels, createAccessModels } from "./access-models.ts";
import { deleteOldChanges } from "./access-state.queries.ts";
import type { OrganizationModel } from "./organization-model.ts";

const byID = <T extends { id: string }>(items: Iterable<T>) =>
  [...items].toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Everything in the model, in one order. */
const toPlain = ({ networks, roleNames, routeNames, guarantees }: OrganizationModel) => ({
  networks: byID(networks.values()).map(({ id, name, network }) => ({
    id,
    name,
    cidrs: network.cidrs,
    trustedCaIDs: [...network.trustedCaIDs].toSorted(),
    roles: Object.fromEntries(network.roles),
    tags: Object.fromEntries(network.tags),
    routes: byID(network.routes),
    hosts: byID(network.hosts),
  })),
  roleNames: Object.fromEntries(roleNames),
  routeNames: Object.fromEntries(routeNames),
  guarantees: byID(guarantees.values()),
});

const SSH = { protocol: "TCP", portRange: { from: 22, to: 22 } } as const;

function createSignal() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

describe("the model of an organization", () => {
  let server: TestServer;
  let owner: Session;
  let networkID: string;
  let models: AccessModels;
  let hostCount = 0;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.signUp();
    ({ id: networkID } = await owner.call(createNetwork, { body: { name: "Models" } }));
    models = createAccessModels(server.ctx);
    await models.read(owner.organizationID);
  });
  afterAll(() => server.close());

  const createHost = (more: { roleID?: string; tags?: string[] } = {}) =>
    owner.call(createHostV2, { body: { name: `host-${++hostCount}`, networkID, ...more } });

  /** A model that was updated again and again is the same as one that was just read. */
  async function expectCurrent(): Promise<OrganizationModel> {
    const model = await models.read(owner.organizationID);
    const fresh = await createAccessModels(server.ctx).read(owner.organizationID);
    expect(toPlain(model)).toEqual(toPlain(fresh));
    return model;
  }

  it("contains a change whose transaction has an ID of one that a failover has lost", async () => {
    const first = await createHost();
    const [latest] = await server.query<{ id: string }>(
      "select max(transaction_id::text::bigint)::text as id from access_changes where organization_id = $1",
      [owner.organizationID],
    );
    for (let lost = 0; lost < 5; lost++) await server.query("select pg_current_xact_id()");
    await expectCurrent();
    const { id } = await createHost();
    await server.query(
      "update access_changes set transaction_id = ($1::bigint + 1)::text::xid8 where organization_id = $2 and key = $3",
      [latest!.id, owner.organizationID, id],
    );
    await expectCurrent();
    for (const hostID of [first.id, id]) await owner.call(deleteHost, { params: { hostID } });
  });

  it("contains new, changed and deleted hosts", async () => {
    const role = await owner.call(createRole, { body: { name: "First", firewallRules: [SSH] } });
    const [host, other] = [await createHost(), await createHost({ roleID: role.id, tags: ["env:test"] })];
    await expectCurrent();
    const change = { roleID: role.id, tags: ["env:live"], staticAddresses: [], listenPort: 0 };
    await owner.call(updateHostV3, { params: { hostID: host.id }, body: change });
    await owner.call(deleteHost, { params: { hostID: other.id } });
    const model = await expectCurrent();
    expect(model.networks.get(networkID)?.network.hosts).toMatchObject([
      { id: host.id, roleID: role.id, tags: ["env:live"] },
    ]);
  });

  it("contains changed and deleted roles, tags, routes and networks", async () => {
    const router = await createHost();
    const route = await owner.call(createRoute, {
      body: { name: "Office", routerHostID: router.id, routableCIDRs: { "192.168.7.0/24": {} } },
    });
    const role = await owner.call(createRole, { body: { name: "Second" } });
    await owner.call(createTag, { body: { name: "site:office", routeSubscriptions: [route.id] } });
    await expectCurrent();
    await owner.call(updateRole, { params: { roleID: role.id }, body: { firewallRules: [SSH] } });
    await owner.call(updateTag, { params: { tag: "site:office" }, body: { firewallRules: [SSH] } });
    await owner.call(createNetwork, { body: { name: "Another" } });
    const { networks } = await expectCurrent();
    expect(networks.get(networkID)?.network.routes).toMatchObject([{ id: route.id }]);
    expect([...networks.values()].every(({ network }) => network.roles.get(role.id)?.length === 1)).toBe(
      true,
    );
    await owner.call(deleteRole, { params: { roleID: role.id } });
    await expectCurrent();
  });

  it("contains the addresses of both families, and new ranges of a network", async () => {
    const [dual, ipv6Only] = [await createHost(), await createHost()];
    await models.read(owner.organizationID);
    await server.query(
      "update networks set ipv6_cidr = 'fd00:7::/64', next_ipv6_address = 'fd00:7::3' where id = $1",
      [networkID],
    );
    await server.query("update hosts set ipv6_address = 'fd00:7::1' where id = $1", [dual.id]);
    await server.query(
      "update hosts set ip_address = 'fd00:7::2', ipv6_address = 'fd00:7::2' where id = $1",
      [ipv6Only.id],
    );
    const { network } = (await expectCurrent()).networks.get(networkID)!;
    expect(network.cidrs).toEqual([expect.stringContaining("."), "fd00:7::/64"]);
    const addressesOf = (hostID: string) => network.hosts.find(({ id }) => id === hostID)?.addresses;
    expect(addressesOf(dual.id)).toEqual([dual.ipAddresses[0], "fd00:7::1"]);
    expect(addressesOf(ipv6Only.id)).toEqual(["fd00:7::2"]);
  });

  it("has the roles and tags of the organization in its first network", async () => {
    const person = await server.signUp();
    const own = createAccessModels(server.ctx);
    const role = await person.call(createRole, { body: { name: "Early", firewallRules: [SSH] } });
    await own.read(person.organizationID);
    const { id } = await person.call(createNetwork, { body: { name: "First" } });
    const { networks } = await own.read(person.organizationID);
    expect(networks.get(id)?.network.roles.get(role.id)).toMatchObject([SSH]);
    const fresh = await createAccessModels(server.ctx).read(person.organizationID);
    expect(toPlain(await own.read(person.organizationID))).toEqual(toPlain(fresh));
  });

  it("contains what concurrent requests have changed", async () => {
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const host = await createHost({ tags: ["env:busy"] });
        await models.read(owner.organizationID);
        if (hostCount % 2 === 0) await owner.call(deleteHost, { params: { hostID: host.id } });
      }),
    );
    await expectCurrent();
  });

  it("doesn't miss a transaction that commits after a later one", async () => {
    const host = await createHost();
    const changed = createSignal();
    const commitAllowed = createSignal();
    const slow = server.ctx.audited(async (tx) => {
      await tx.updateTable("hosts").set({ name: "renamed" }).where("id", "=", host.id).execute();
      changed.resolve();
      await commitAllowed.promise;
      return done(undefined, {
        organizationID: owner.organizationID,
        actor: { type: "system" },
        target: { type: "host", id: host.id },
        event: "UPDATED",
        before: { roleID: null },
        after: { roleID: null },
      });
    });
    await changed.promise;
    await owner.call(createRole, { body: { name: "Later" } });
    await models.read(owner.organizationID);
    commitAllowed.resolve();
    await slow;
    const model = await expectCurrent();
    expect(model.networks.get(networkID)?.network.hosts).toContainEqual(
      expect.objectContaining({ id: host.id, name: "renamed" }),
    );
  });

  it.each([
    ["that are in the model already", true],
    ["that have changed since the model was read", false],
  ])("shows what a running transaction does to objects %s", async (_, isInModel) => {
    const { organizationID } = owner;
    const role = await owner.call(createRole, { body: { name: `Third ${isInModel}` } });
    const host = await createHost({ roleID: role.id });
    if (isInModel) await models.read(organizationID);
    const other = await createHost({ roleID: role.id });
    const seen = server.ctx.audited(async (tx) => {
      await tx
        .updateTable("roles")
        .set({ firewall_rules: "[]", name: "Renamed" })
        .where("id", "=", role.id)
        .execute();
      await tx.updateTable("hosts").set({ role_id: null }).where("id", "=", host.id).execute();
      const { before, after, changed } = await models.readUncommitted(tx, organizationID);
      const roleIDs = [before, after].map(
        ({ networks }) => networks.get(networkID)?.network.hosts.find(({ id }) => id === host.id)?.roleID,
      );
      expect(before.networks.get(networkID)?.network.hosts.map(({ id }) => id)).toContain(other.id);
      throw Object.assign(new Error("rolled back"), {
        seen: { roleIDs, names: [before, after].map(({ roleNames }) => roleNames.get(role.id)), changed },
      });
    });
    await expect(seen).rejects.toMatchObject({
      seen: {
        roleIDs: [role.id, null],
        names: [`Third ${isInModel}`, "Renamed"],
        changed: { hostIDs: new Set([host.id]), roleIDs: new Set([role.id]), tags: new Set() },
      },
    });
    await expectCurrent();
  });

  describe("that takes long to load", () => {
    let locker: pg.Client;
    beforeAll(async () => {
      locker = new pg.Client({ connectionString: server.database.url });
      await locker.connect();
    });
    afterAll(() => locker.end());

    const lockHosts = () => locker.query("begin; lock table hosts");
    const unlockHosts = () => locker.query("rollback");

    it("doesn't end the transaction that waits for it", async () => {
      const newModels = createAccessModels(server.ctx);
      await lockHosts();
      const read = server.ctx.audited(async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = '3s'`.execute(tx);
        const { before } = await newModels.readUncommitted(tx, owner.organizationID);
        return unchanged(before);
      });
      await sleep(5000);
      await unlockHosts();
      expect(toPlain(await read)).toEqual(toPlain(await expectCurrent()));
    });

    it("is kept, although the change that needed it didn't wait", async () => {
      let statementCount = 0;
      const selectFrom = ((from: "hosts") => {
        statementCount += 1;
        return server.ctx.reader.selectFrom(from);
      }) as Reader["selectFrom"];
      const newModels = createAccessModels({ clock: server.ctx.clock, reader: { selectFrom } });
      const readNow = () =>
        server.ctx.audited(async (tx) =>
          unchanged(await newModels.readUncommittedWithin(0, tx, owner.organizationID)),
        );
      await lockHosts();
      expect(await readNow()).toBeUndefined();
      await unlockHosts();
      await vi.waitFor(() => expect(statementCount).toBe(2));
      await sleep(100);
      await vi.waitFor(async () => expect(await readNow()).toBeDefined());
      expect(statementCount).toBe(2);
    });
  });

  it("is read again if the changes since then are no longer stored", async () => {
    const host = await createHost();
    await deleteOldChanges(server.ctx.unaudited, new Date(Date.now() + 60_000));
    const model = await expectCurrent();
    expect(model.networks.get(networkID)?.network.hosts).toContainEqual(
      expect.objectContaining({ id: host.id }),
    );
    await deleteOldChanges(server.ctx.unaudited, new Date(Date.now() + 60_000));
    await expectCurrent();
  });
});
