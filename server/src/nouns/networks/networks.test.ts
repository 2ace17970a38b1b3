import {
  createNetwork,
  createHostV2,
  createNetworkV2,
  deleteHost,
  deleteNetwork,
  getNetwork,
  getNetworkV2,
  listAuditLogs,
  listNetworks,
  updateNetwork,
  updateNetworkV2,
  addNetworkCidr,
  type Network,
  NotFoundError,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let session: Session;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("creating a network", () => {
  let first: Network;
  let second: Network;
  beforeAll(async () => {
    session = await server.signUp();
    first = await session.call(createNetwork, { body: { name: "First" } });
    second = await session.call(createNetwork, { body: { name: "Second" } });
  });

  it("assigns the next free /22 of 100.100.0.0/16 if no CIDR is specified [S7.12]", () => {
    expect(first).toMatchObject({
      name: "First",
      description: "",
      cidr: "100.100.0.0/22",
      hostCount: 0,
      curve: "25519",
    });
    expect(second.cidr).toBe("100.100.4.0/22");
    expect(first.signingCAID).not.toBe(second.signingCAID);
  });

  it("rejects a second network with the same name, ignoring case [S3.5]", async () => {
    const rejected = await errorsOf(session.call(createNetwork, { body: { name: "fIRST" } }));
    expect(rejected).toEqual([
      { code: "ERR_DUPLICATE_VALUE", message: "value already exists", path: "name" },
    ]);
  });

  it.each([
    ["not a network", "ERR_INVALID_IPV4_CIDR"],
    ["10.0.0.1/24", "ERR_INVALID_IPV4_CIDR"],
    ["fd00::/80", "ERR_INVALID_IPV4_CIDR"],
    ["10.0.0.0/7", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["10.0.0.0/31", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["8.8.8.0/24", "ERR_INVALID_VALUE"],
    ["100.100.0.0/20", "ERR_INVALID_VALUE"],
    ["100.100.5.0/24", "ERR_INVALID_VALUE"],
  ])("rejects the CIDR %s with %s", async (cidr, code) => {
    expect(await errorsOf(session.call(createNetwork, { body: { name: "Odd", cidr } }))).toMatchObject([
      { code, path: "cidr" },
    ]);
    expect(
      await errorsOf(session.call(createNetworkV2, { body: { name: "Odd", cidrs: [cidr] } })),
    ).toMatchObject([{ code, path: "cidrs[0]" }]);
  });

  it("reports every problem with its path, and creates nothing", async () => {
    const before = await session.call(listNetworks, { query: { includeCounts: true } });
    const body = { name: " ", description: "x".repeat(256), cidr: 4, colour: "red" };
    const rejected = await errorsOf(session.call(createNetwork, { body: body as never }));
    expect(rejected.map(({ code, path }) => [code, path]).sort()).toEqual([
      ["ERR_INVALID_VALUE", "cidr"],
      ["ERR_INVALID_VALUE", "colour"],
      ["ERR_INVALID_VALUE_LENGTH", "description"],
      ["ERR_INVALID_VALUE_LENGTH", "name"],
    ]);
    const after = await session.call(listNetworks, { query: { includeCounts: true } });
    expect(after.metadata.totalCount).toBe(before.metadata.totalCount);
  });

  it("rejects a certificate version, a curve and a second CIDR that aren't supported", async () => {
    const body = { name: "V3", certVersion: 3, curve: "P521" };
    const rejected = await errorsOf(session.call(createNetworkV2, { body: body as never }));
    expect(rejected.map(({ code, path }) => [code, path]).sort()).toEqual([
      ["ERR_INVALID_VALUE", "certVersion"],
      ["ERR_INVALID_VALUE", "curve"],
    ]);
    const two = await errorsOf(
      session.call(createNetworkV2, { body: { name: "Two", cidrs: ["10.1.0.0/24", "10.2.0.0/24"] } }),
    );
    expect(two).toMatchObject([{ code: "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR" }]);
  });

  it("writes a CREATED audit entry for the user, and the CA's audit entries for the system", async () => {
    const network = await session.call(createNetwork, { body: { name: "Audited", cidr: "172.16.0.0/12" } });
    const logs = await session.call(listAuditLogs, { query: { pageSize: 3 } });
    const seen = logs.data.map(({ actor, target, event }) => [actor.type, target.type, event.type]);
    expect(seen).toHaveLength(3);
    expect(seen).toEqual(
      expect.arrayContaining([
        ["user", "network", "CREATED"],
        ["system", "ca", "CREATED"],
        ["system", "network", "SET_NETWORK_CA"],
      ]),
    );
    const created = logs.data.find(
      ({ event, target }) => event.type === "CREATED" && target.type === "network",
    );
    expect(created).toMatchObject({
      actor: { id: session.userID, email: session.email },
      target: { id: network.id },
      event: { before: null, after: { name: "Audited", cidrs: ["172.16.0.0/12"] } },
    });
  });

  it("stores the CA's private key encrypted, so that a database dump has no usable key", async () => {
    const [ca] = await server.query<{ id: string; private_key: Buffer; certificate: string }>(
      "select id, private_key, certificate from certificate_authorities limit 1",
    );
    expect(ca?.certificate).toContain("-----BEGIN NEBULA CERTIFICATE-----");
    const place = { table: "certificate_authorities", column: "private_key", id: ca?.id ?? "" };
    expect(server.ctx.secrets.open(ca?.private_key ?? Buffer.alloc(0), place)).toHaveLength(64);
    expect(() =>
      server.ctx.secrets.open(ca?.private_key ?? Buffer.alloc(0), { ...place, id: "ca-other" }),
    ).toThrow();
  });
});

describe("creating twenty networks concurrently", () => {
  it("assigns different CIDRs, and creates only one of the networks with the same name or CIDR", async () => {
    const person = await server.signUp();
    const twenty = Array.from({ length: 20 }, (_, index) => index);
    const networks = await Promise.all(
      twenty.map((index) => person.call(createNetwork, { body: { name: `Network ${index}` } })),
    );
    expect(new Set(networks.map(({ cidr }) => cidr)).size).toBe(20);
    const results = await Promise.allSettled(
      twenty.map(() => person.call(createNetwork, { body: { name: "The same" } })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const overlapping = await Promise.allSettled(
      twenty.map((index) =>
        person.call(createNetwork, { body: { name: `Overlap ${index}`, cidr: "10.9.0.0/16" } }),
      ),
    );
    expect(overlapping.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("a network", () => {
  let person: Session;
  beforeAll(async () => {
    person = await server.signUp();
  });

  it("can be read, replaced and deleted [S7.11] [S7.13] [S7.14]", async () => {
    const network = await person.call(createNetwork, {
      body: { name: "Old", description: "Old", lighthousesAsRelays: true },
    });
    const params = { networkID: network.id };
    expect(await person.call(getNetwork, { params })).toEqual(network);
    const replaced = await person.call(updateNetwork, { params, body: { name: "New" } });
    expect(replaced).toEqual({ ...network, name: "New", description: "", lighthousesAsRelays: false });
    expect(await person.call(deleteNetwork, { params })).toEqual({});
    await expect(person.call(getNetwork, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(person.call(deleteNetwork, { params })).rejects.toBeInstanceOf(NotFoundError);
  });

  it("ignores read-only keys that a client sends back, and rejects unknown keys", async () => {
    const network = await person.call(createNetworkV2, { body: { name: "Whole" } });
    const params = { networkID: network.id };
    const back = await person.call(updateNetworkV2, { params, body: { ...network, name: "Renamed" } });
    expect(back).toEqual({ ...network, name: "Renamed" });
    const rejected = await errorsOf(
      person.call(updateNetworkV2, { params, body: { ...network, colour: "red" } as never }),
    );
    expect(rejected).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "colour" }]);
  });

  it("keeps settings that version 1 of the API does not have", async () => {
    const network = await person.call(createNetworkV2, {
      body: { name: "Kept", disableManagedLighthouses: true },
    });
    const params = { networkID: network.id };
    await person.call(updateNetwork, { params, body: { name: "Kept too" } });
    expect(await person.call(getNetworkV2, { params })).toMatchObject({ disableManagedLighthouses: true });
  });

  it("requires lighthousesAsRelays in version 2 of the API", async () => {
    const network = await person.call(createNetworkV2, { body: { name: "Strict" } });
    const rejected = await errorsOf(
      person.call(updateNetworkV2, { params: { networkID: network.id }, body: { name: "Strict" } as never }),
    );
    expect(rejected).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "lighthousesAsRelays" }]);
  });

  it("can't be renamed to the name of another network", async () => {
    await person.call(createNetwork, { body: { name: "Taken" } });
    const network = await person.call(createNetwork, { body: { name: "Free" } });
    const rejected = await errorsOf(
      person.call(updateNetwork, { params: { networkID: network.id }, body: { name: "Taken" } }),
    );
    expect(rejected).toMatchObject([{ code: "ERR_DUPLICATE_VALUE", path: "name" }]);
  });

  it("can't be deleted while it has hosts [S8.14]", async () => {
    const network = await person.call(createNetwork, { body: { name: "Inhabited" } });
    const body = { name: "inhabitant", networkID: network.id };
    const { id, name, networkID } = await person.call(createHostV2, { body });
    const rejected = await errorsOf(person.call(deleteNetwork, { params: { networkID: network.id } }));
    expect(rejected).toEqual([
      {
        code: "ERR_HAS_DEPENDENTS",
        message: "operation denied due to dependent resources",
        extra: { dependents: [{ type: "host", id, name, networkID }], total: 1 },
      },
    ]);
    await person.call(deleteHost, { params: { hostID: id } });
    expect(await person.call(deleteNetwork, { params: { networkID: network.id } })).toEqual({});
  });

  it("can't have a second IPv4 CIDR", async () => {
    const network = await person.call(createNetworkV2, { body: { name: "Full" } });
    const add = (cidr: string) =>
      errorsOf(person.call(addNetworkCidr, { params: { networkID: network.id }, body: { cidr } }));
    expect(await add("10.77.0.0/24")).toMatchObject([{ code: "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR" }]);
    expect(await add("nothing")).toMatchObject([{ code: "ERR_INVALID_IPV4_CIDR", path: "cidr" }]);
  });

  it("is not found by another organization", async () => {
    const network = await person.call(createNetwork, { body: { name: "Mine" } });
    const stranger = await server.signUp();
    const params = { networkID: network.id };
    const attempts = [
      () => stranger.call(getNetwork, { params }),
      () => stranger.call(getNetworkV2, { params }),
      () => stranger.call(updateNetwork, { params, body: { name: "Theirs" } }),
      () => stranger.call(updateNetworkV2, { params, body: { name: "Theirs", lighthousesAsRelays: true } }),
      () => stranger.call(deleteNetwork, { params }),
      () => stranger.call(addNetworkCidr, { params, body: { cidr: "10.0.0.0/24" } }),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toBeInstanceOf(NotFoundError);
    expect((await stranger.call(listNetworks)).data).toEqual([]);
    expect(await person.call(getNetwork, { params })).toEqual(network);
  });

  it("can use the same CIDR as a network of another organization", async () => {
    const stranger = await server.signUp();
    const mine = await person.call(createNetwork, { body: { name: "Shared space", cidr: "10.200.0.0/16" } });
    const theirs = await stranger.call(createNetwork, {
      body: { name: "Shared space", cidr: "10.200.0.0/16" },
    });
    expect(theirs.cidr).toBe(mine.cidr);
  });
});
