import {
  blockHostV2,
  createEnrollmentCode,
  createHost,
  createHostV2,
  createNetwork,
  createNetworkV2,
  createRole,
  deleteHost,
  getHost,
  getHostV2,
  getNetwork,
  getRole,
  getTag,
  type HostV2CreateInput,
  listAuditLogs,
  listRoles,
  listTags,
  NotFoundError,
  runHostCommand,
  updateHostV2,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ environment: { FREE_PLAN_HOST_LIMIT: "3" } });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const lastEntry = async (targetID: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": targetID } })).data[0];

describe("a host", () => {
  it("is created with all fields, and returned as created by both versions of the API", async () => {
    const role = await owner.call(createRole, { body: { name: "Web" } });
    const host = await fleet.add({
      name: "web-1",
      roleID: role.id,
      tags: ["env:prod", "app:web", "env:prod"],
      listenPort: 4242,
      staticAddresses: ["203.0.113.7:4242", "web.example.com:4242"],
      configOverrides: [{ key: "tun.mtu", value: 1300 }],
      description: " Serves\npages ",
      owner: "Platform team",
    });
    expect(host).toMatchObject({
      organizationID: owner.organizationID,
      networkID: fleet.networkID,
      roleID: role.id,
      endpointOIDCUserID: null,
      name: "web-1",
      staticAddresses: ["203.0.113.7:4242", "web.example.com:4242"],
      listenPort: 4242,
      isLighthouse: false,
      isRelay: false,
      isBlocked: false,
      metadata: { lastSeenAt: null, platform: null, version: null, updateAvailable: null },
      tags: ["env:prod", "app:web"],
      configOverrides: [{ key: "tun.mtu", value: 1300 }],
      description: "Serves\npages",
      owner: "Platform team",
    });
    const params = { hostID: host.id };
    expect(await owner.call(getHostV2, { params })).toEqual(host);
    const { ipAddresses, ...rest } = host;
    expect(await owner.call(getHost, { params })).toEqual({ ...rest, ipAddress: ipAddresses[0] });
    expect((await owner.call(getRole, { params: { roleID: role.id } })).hostCount).toBe(1);
    expect((await owner.call(getTag, { params: { tag: "env:prod" } })).hostCount).toBe(1);
  });

  it("creates missing tags, with an audit entry for each", async () => {
    const { data: before } = await owner.call(listTags, { query: { pageSize: 500 } });
    await fleet.add({ tags: ["made:here"] });
    const { data: after } = await owner.call(listTags, { query: { pageSize: 500 } });
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toMatchObject({ name: "made:here", hostCount: 1 });
    expect((await lastEntry("made:here"))?.event.type).toBe("CREATED");
  });

  it("can be created in version 1 of the API with extraHost address", async () => {
    const body = { name: "old-style", networkID: fleet.networkID, ipAddress: "100.100.0.200" };
    const host = await owner.call(createHost, { body });
    expect(host.ipAddress).toBe("100.100.0.200");
    expect(await errorsOf(owner.call(createHost, { body: { ...body, name: "other" } }))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "ipAddress", message: "value already exists" },
    ]);
  });

  it("can't be created in version 1 of the API if the network uses version 2 certificates", async () => {
    const { id: networkID } = await owner.call(createNetworkV2, { body: { name: "New", certVersion: 2 } });
    const old = owner.call(createHost, { body: { name: "old", networkID } });
    expect(await errorCodesOf(old)).toEqual(["ERR_CERT_VERSION_2_INCOMPATIBLE"]);
    const host = await owner.call(createHostV2, { body: { name: "new", networkID } });
    expect(host.networkID).toBe(networkID);
  });

  it("has a unique name in its network, ignoring case, also with twenty concurrent requests", async () => {
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => fleet.add({ name: "The same" })));
    expect(many.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await errorsOf(fleet.add({ name: "tHE SAME" }))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "name" },
    ]);
    const other = await createFleet(server, owner);
    expect((await other.add({ name: "The same" })).name).toBe("The same");
  });

  const invalidHosts: [string, Partial<HostV2CreateInput>, object[]][] = [
    [
      "a lighthouse without a static address and port",
      { isLighthouse: true },
      [{ path: "staticAddresses" }, { path: "listenPort" }],
    ],
    ["a relay without a port", { isRelay: true }, [{ path: "listenPort" }]],
    [
      "a lighthouse that is also a relay",
      { isLighthouse: true, isRelay: true, listenPort: 1, staticAddresses: ["192.0.2.1:1"] },
      [{ message: "a host is a lighthouse or a relay, not both" }],
    ],
    ["a static address without a port", { staticAddresses: ["192.0.2.1"] }, [{ path: "staticAddresses[0]" }]],
    [
      "an unknown override",
      { configOverrides: [{ key: "pki.ca", value: "x" }] },
      [{ path: "configOverrides[0].key" }],
    ],
    [
      "an override with a value of the wrong type",
      { configOverrides: [{ key: "tun.mtu", value: "x" }] },
      [{ path: "configOverrides[0].value" }],
    ],
    [
      "a description that is too long",
      { description: "x".repeat(256) },
      [{ code: "ERR_INVALID_VALUE_LENGTH", path: "description" }],
    ],
    ["an owner with several lines", { owner: "Ops\nTeam" }, [{ path: "owner" }]],
    ["a tag without a colon", { tags: ["prod"] }, [{ path: "tags[0]" }]],
    ["a port above 65535", { listenPort: 65_536 }, [{ path: "listenPort" }]],
    ["two addresses", { ipAddresses: ["100.100.0.9", "100.100.0.10"] }, [{ path: "ipAddresses[1]" }]],
    ["an address of another network", { ipAddresses: ["10.9.9.9"] }, [{ path: "ipAddresses[0]" }]],
    ["an IPv6 address", { ipAddresses: ["fd00::1"] }, [{ path: "ipAddresses[0]" }]],
    ["the network address", { ipAddresses: ["100.100.0.0"] }, [{ path: "ipAddresses[0]" }]],
    ["the broadcast address", { ipAddresses: ["100.100.3.255"] }, [{ path: "ipAddresses[0]" }]],
    ["a prefix of another network", { ipAddresses: ["10.0.0.0/24"] }, [{ path: "ipAddresses[0]" }]],
    ["a prefix with host bits set", { ipAddresses: ["100.100.0.1/24"] }, [{ path: "ipAddresses[0]" }]],
  ];
  it.each(invalidHosts)("is rejected: %s", async (_what, host, errors) => {
    const expected = errors.map((error) => ({ code: "ERR_INVALID_VALUE", ...error }));
    expect(await errorsOf(fleet.add(host))).toMatchObject(expected);
  });

  it("can refer only to a network and a role of its own organization", async () => {
    const stranger = await server.signUp();
    const theirs = await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const [role] = (await stranger.call(listRoles)).data;
    for (const networkID of [theirs.id, "network-none", ""])
      expect(await errorsOf(fleet.add({ networkID }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "networkID" },
      ]);
    for (const roleID of [role?.id ?? "", "role-none"])
      expect(await errorsOf(fleet.add({ roleID }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "roleID" },
      ]);
  });

  it("is not found by another organization", async () => {
    const { id } = await fleet.add();
    const stranger = await server.signUp();
    const params = { hostID: id };
    const calls = [
      () => stranger.call(getHostV2, { params }),
      () => stranger.call(updateHostV3, { params, body: {} }),
      () => stranger.call(blockHostV2, { params }),
      () => stranger.call(createEnrollmentCode, { params }),
      () => stranger.call(runHostCommand, { params, body: { command: "DebugStack" } }),
      () => stranger.call(deleteHost, { params }),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(NotFoundError);
    expect((await owner.call(getHostV2, { params })).isBlocked).toBe(false);
  });

  it("counts toward the limit of the free plan, also with ten concurrent requests", async () => {
    const person = await server.signUp();
    const { id } = await person.call(createNetwork, { body: { name: "Small" } });
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        person.call(createHostV2, { body: { name: `h${index}`, networkID: id } }),
      ),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const extraHost = person.call(createHostV2, { body: { name: "more", networkID: id } });
    expect(await errorsOf(extraHost)).toMatchObject([{ code: "ERR_LIMIT_EXCEEDED", extra: { limit: 3 } }]);
    expect((await person.call(getNetwork, { params: { networkID: id } })).hostCount).toBe(3);
  });
});

describe("an edited host", () => {
  it("keeps its name, tags, overrides, description and owner if they are omitted, and other omitted fields are reset", async () => {
    const role = await owner.call(createRole, { body: { name: "Editors" } });
    const host = await fleet.add({
      roleID: role.id,
      tags: ["edit:me"],
      staticAddresses: ["192.0.2.1:1"],
      listenPort: 1,
      configOverrides: [{ key: "routines", value: 2 }],
      description: "Edits",
      owner: "Editors",
    });
    const params = { hostID: host.id };
    const edited = await owner.call(updateHostV3, { params, body: {} });
    expect(edited).toEqual({
      ...host,
      roleID: null,
      staticAddresses: [],
      listenPort: 0,
      modifiedAt: edited.modifiedAt,
    });
    const cleared = await owner.call(updateHostV3, {
      params,
      body: { name: "Renamed", tags: [], configOverrides: [], description: "", owner: "" },
    });
    expect(cleared).toMatchObject({
      name: "Renamed",
      tags: [],
      configOverrides: [],
      description: "",
      owner: "",
    });
    const back = await owner.call(updateHostV3, { params, body: { ...host, name: "Sent back" } });
    expect(back).toMatchObject({ name: "Sent back", tags: ["edit:me"], roleID: role.id });
    const old = await owner.call(updateHostV2, { params, body: { name: "Old call" } });
    expect(old).toMatchObject({ name: "Old call", ipAddress: host.ipAddresses[0] });
    expect((await owner.call(getTag, { params: { tag: "edit:me" } })).hostCount).toBe(1);
    expect((await owner.call(getRole, { params: { roleID: role.id } })).hostCount).toBe(0);
  });

  it("has an audit entry with the state before and after", async () => {
    const host = await fleet.add({ name: "Before" });
    const params = { hostID: host.id };
    await owner.call(updateHostV3, { params, body: { name: "After" } });
    expect((await lastEntry(host.id))?.event).toMatchObject({
      type: "UPDATED",
      before: { name: "Before" },
      after: { name: "After" },
    });
    await owner.call(updateHostV3, { params, body: { owner: "Ops" } });
    expect((await lastEntry(host.id))?.event).toMatchObject({
      type: "UPDATED",
      before: { owner: "" },
      after: { owner: "Ops" },
    });
    const configOverrides = [{ key: "tun.mtu", value: 1400 }];
    await owner.call(updateHostV3, { params, body: { configOverrides } });
    expect((await lastEntry(host.id))?.event).toMatchObject({
      type: "SET_OVERRIDES",
      after: { configOverrides },
    });
  });

  it("is validated in the same way as a new host", async () => {
    const lighthouse = await fleet.add({
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.1:4242"],
    });
    const other = await fleet.add({ name: "Taken" });
    const params = { hostID: lighthouse.id };
    const attempt = (body: object) => errorsOf(owner.call(updateHostV3, { params, body }));
    const kept = { listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] };
    expect(await attempt({})).toMatchObject([{ path: "staticAddresses" }, { path: "listenPort" }]);
    expect(await attempt({ ...kept, name: "tAKEN" })).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "name" },
    ]);
    expect(await attempt({ ...kept, roleID: other.id })).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "roleID" },
    ]);
    expect(await owner.call(getHostV2, { params })).toEqual(lighthouse);
  });
});
