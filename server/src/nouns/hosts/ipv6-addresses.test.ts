/** Hosts in networks with version 2 certificates. */
import {
  blockHost,
  createHostAndEnrollmentCode,
  createHostV2,
  createNetworkV2,
  deleteHost,
  getHost,
  getHostV2,
  type HostV2,
  listAuditLogs,
  listHosts,
  listHostsV2,
  unblockHost,
  updateHostV2,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  await createFleet(server, owner);
});
afterAll(() => server.close());

async function createNetwork(...cidrs: string[]) {
  const { id } = await owner.call(createNetworkV2, {
    body: { name: `Network ${++count}`, certVersion: 2, cidrs },
  });
  return (...ipAddresses: string[]): Promise<HostV2> =>
    owner.call(createHostV2, { body: { name: `host-${++count}`, networkID: id, ipAddresses } });
}
const addressesOf = async (...hosts: Promise<HostV2>[]) =>
  (await Promise.all(hosts)).map(({ ipAddresses }) => ipAddresses.join(" "));
const remove = ({ id }: HostV2) => owner.call(deleteHost, { params: { hostID: id } });

describe("the addresses of a host", () => {
  it("are one IPv6 address: the lowest that is free, a requested one, or one of a prefix", async () => {
    const add = await createNetwork("fd01::/64");
    const first = await add();
    expect(first.ipAddresses).toEqual(["fd01::1"]);
    expect(await addressesOf(add("FD01:0:0:0:0:0:0:00ff"))).toEqual(["fd01::ff"]);
    expect(await addressesOf(add("fd01::8000:0:0:0/65"))).toEqual(["fd01::8000:0:0:0"]);
    expect(await addressesOf(add("fd01::8000:0:0:0/65"))).toEqual(["fd01::8000:0:0:1"]);
    expect(await addressesOf(add())).toEqual(["fd01::2"]);
    await remove(first);
    expect(await addressesOf(add())).toEqual(["fd01::1"]);
    expect(await addressesOf(add())).toEqual(["fd01::3"]);
  });

  it("include an IPv4 address only if one is requested", async () => {
    const add = await createNetwork("10.2.0.0/24", "fd02::/112");
    expect(await addressesOf(add())).toEqual(["fd02::1"]);
    expect(await addressesOf(add("10.2.0.0/24"))).toEqual(["10.2.0.1 fd02::2"]);
    expect(await addressesOf(add("10.2.0.9"))).toEqual(["10.2.0.9 fd02::3"]);
    expect(await addressesOf(add("fd02::ffff", "10.2.0.0/24"))).toEqual(["10.2.0.2 fd02::ffff"]);
  });

  it("are not available in a prefix that is full, until a host is deleted", async () => {
    const add = await createNetwork("fd03::/112");
    const within = "fd03::10/127";
    const [first] = [await add(within), await add(within)];
    expect(await errorCodesOf(add(within))).toEqual(["ERR_NETWORK_FULLY_ALLOCATED"]);
    await remove(first);
    expect(await addressesOf(add(within))).toEqual(first.ipAddresses);
  });

  it("are unique for 200 hosts that are created concurrently, without gaps", async () => {
    const add = await createNetwork("10.4.0.0/23", "fd04::/64");
    const hosts = await addressesOf(...Array.from({ length: 200 }, () => add("10.4.0.0/23")));
    const last = (text: string) => Number.parseInt(text.split(":").at(-1) ?? "", 16);
    expect(hosts.map(last).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect(new Set(hosts.map((text) => text.split(" ")[0])).size).toBe(200);
  });

  it("are assigned to one of twenty hosts that request them concurrently", async () => {
    const add = await createNetwork("fd05::/64");
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => add("fd05::77")));
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await errorsOf(add("fd05:0::77"))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "ipAddresses[0]" },
    ]);
  });

  const dual: { add?: (...ipAddresses: string[]) => Promise<HostV2> } = {};
  it.each([
    ["the first address", ["fd06::"], 0],
    ["an address outside", ["fd07::1"], 0],
    ["a prefix outside", ["fd06::1", "10.7.0.0/24"], 1],
    ["a prefix with more bits", ["fd06::1/64"], 0],
    ["a longer prefix than the network", ["fd06::/48"], 0],
    ["two IPv6 addresses", ["fd06::1", "fd06::2"], 1],
    ["two IPv4 addresses", ["10.6.0.1", "10.6.0.2"], 1],
    ["a zone", ["fd06::1%eth0"], 0],
    ["an IPv4 address as IPv6", ["::ffff:10.6.0.1"], 0],
    ["text", ["x"], 0],
  ])("can't be %s", async (_, ipAddresses, position) => {
    const add = (dual.add ??= await createNetwork("10.6.0.0/24", "fd06::/64"));
    expect(await errorsOf(add(...ipAddresses))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: `ipAddresses[${position}]` },
    ]);
  });

  it("can't be IPv4 in a network without an IPv4 range, or IPv6 in one with version 1 certificates", async () => {
    const add = await createNetwork("fd08::/64");
    expect(await errorsOf(add("fd08::5", "10.8.0.1"))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "ipAddresses[1]" },
    ]);
    const old = await createFleet(server, owner);
    expect(await errorsOf(old.add({ ipAddresses: ["fd08::5"] }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "ipAddresses[0]", message: "must be an IPv4 address or prefix" },
    ]);
    expect(await errorsOf(old.add({ ipAddresses: ["100.100.0.7", "fd08::5"] }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "ipAddresses[1]" },
    ]);
  });

  it("stay the same when the host changes, and are in the audit log", async () => {
    const add = await createNetwork("10.9.0.0/24", "fd09::/64");
    const { id: hostID } = await add("10.9.0.5");
    const changed = await owner.call(updateHostV3, { params: { hostID }, body: { name: "renamed" } });
    expect(changed.ipAddresses).toEqual(["10.9.0.5", "fd09::1"]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": hostID } });
    expect(data.at(-1)?.event).toMatchObject({ after: { ipAddresses: ["10.9.0.5", "fd09::1"] } });
  });
});

describe("lists of hosts", () => {
  const search = async (text: string) => {
    const query = { "filter.search": text, sort: "ipAddress" as const };
    return (await owner.call(listHostsV2, { query })).data.map(({ ipAddresses }) => ipAddresses.join(" "));
  };

  it("are searched by any form of an IPv6 address", async () => {
    const add = await createNetwork("10.20.0.0/24", "fdab:c0:0:1::/64");
    await add("10.20.0.7", "fdab:c0:0:1::1d");
    for (const form of [
      "fdab:c0:0:1::1d",
      "FDAB:00C0:0000:0001:0:0:0:001D",
      "fdab:c0:0:1:0::1d",
      "fdab:00c0:0000:0001:0000:0000:0000:001d",
      "FDAB:00C0",
      "c0:0:1::1d",
      "10.20.0.7",
    ])
      expect({ form, found: await search(form) }).toEqual({ form, found: ["10.20.0.7 fdab:c0:0:1::1d"] });
    expect(await search("fdab:c0:0:1::1e")).toEqual([]);
  });

  it("are sorted by address, IPv4 first, page by page", async () => {
    const add = await createNetwork("10.21.0.0/24", "fd21::/64");
    for (const address of ["fd21::b", "10.21.0.10", "10.21.0.9", "fd21::a"]) await add(address);
    const read = async (sort: "ipAddress" | "-ipAddress") => {
      const [{ networkID }] = (await owner.call(listHostsV2, { query: { "filter.search": "fd21::b" } }))
        .data as [HostV2];
      const addresses: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { "filter.networkID": networkID, sort, pageSize: 1, ...(cursor && { cursor }) };
        const { data, metadata } = await owner.call(listHostsV2, { query });
        addresses.push(...data.map(({ ipAddresses }) => ipAddresses[0] ?? ""));
        cursor = metadata.hasNextPage ? metadata.nextCursor : undefined;
      } while (cursor);
      return addresses;
    };
    const sorted = ["10.21.0.9", "10.21.0.10", "fd21::a", "fd21::b"];
    expect(await read("ipAddress")).toEqual(sorted);
    expect(await read("-ipAddress")).toEqual(sorted.toReversed());
  });
});

describe("version 1 of the API", () => {
  it("rejects hosts of networks with version 2 certificates, and lists their first address", async () => {
    const add = await createNetwork("10.30.0.0/24", "fd30::/64");
    const { id: hostID, networkID } = await add("10.30.0.3");
    const params = { hostID };
    const body = { name: "old" };
    for (const attempt of [
      () => owner.call(getHost, { params }),
      () => owner.call(updateHostV2, { params, body }),
      () => owner.call(blockHost, { params }),
      () => owner.call(unblockHost, { params }),
      () => owner.call(createHostAndEnrollmentCode, { body: { ...body, networkID } }),
    ])
      expect(await errorCodesOf(attempt())).toEqual(["ERR_CERT_VERSION_2_INCOMPATIBLE"]);
    const unchanged = await owner.call(getHostV2, { params });
    expect(unchanged).toMatchObject({ isBlocked: false });
    expect(unchanged.name).not.toBe("old");
    const { data } = await owner.call(listHosts, { query: { "filter.networkID": networkID } });
    expect(data.map(({ ipAddress }) => ipAddress)).toEqual(["10.30.0.3"]);
  });
});
