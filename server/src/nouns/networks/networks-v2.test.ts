/** Networks with version 2 certificates. */
import {
  addNetworkCidr,
  createHostV2,
  createNetwork,
  createNetworkV2,
  getNetwork,
  getNetworkV2,
  listAuditLogs,
  listCertificateAuthorities,
  listNetworksV2,
  type NetworkV2,
} from "@lightkeeper/contract";
import { decodeCertificateV2, decodePem } from "@lightkeeper/nebula";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const create = (body: object = {}, { call } = owner): Promise<NetworkV2> =>
  call(createNetworkV2, { body: { name: `Network ${++count}`, certVersion: 2, ...body } });
const addCidr = (networkID: string, cidr: string, { call } = owner) =>
  call(addNetworkCidr, { params: { networkID }, body: { cidr } });

describe("a network with version 2 certificates", () => {
  it("gets a random unique local IPv6 range if none is given", async () => {
    const networks = [await create(), await create({ cidrs: [] })];
    for (const { cidrs, certVersion } of networks) {
      expect(certVersion).toBe(2);
      expect(cidrs).toEqual([expect.stringMatching(/^fd[0-9a-f]{2}:[0-9a-f:]+::\/64$/)]);
    }
    expect(networks[0]?.cidrs).not.toEqual(networks[1]?.cidrs);
  });

  it("has the IPv6 range in canonical form and the IPv4 range first, in either order", async () => {
    const first = await create({ cidrs: ["FD10:0000:0001::/80", "10.61.0.0/24"] });
    expect(first.cidrs).toEqual(["10.61.0.0/24", "fd10:0:1::/80"]);
    const second = await create({ cidrs: ["10.62.0.0/24", "2001:db8:77::/48"] });
    expect(second.cidrs).toEqual(["10.62.0.0/24", "2001:db8:77::/48"]);
    const third = await create({ cidrs: ["10.63.0.0/24"] });
    expect(third.cidrs).toEqual(["10.63.0.0/24", expect.stringMatching(/^fd.*::\/64$/)]);
    const { data } = await owner.call(listNetworksV2, { query: { pageSize: 500 } });
    expect(data.find(({ id }) => id === first.id)).toEqual(first);
    expect(await owner.call(getNetworkV2, { params: { networkID: second.id } })).toEqual(second);
    const old = await owner.call(getNetwork, { params: { networkID: first.id } });
    expect(old.cidr).toBe("10.61.0.0/24");
  });

  it.each([
    ["fd20::/47", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["fd20::/113", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["fd20::1/64", "ERR_INVALID_VALUE"],
    ["fe80::/64", "ERR_INVALID_VALUE"],
    ["ff00::/64", "ERR_INVALID_VALUE"],
    ["::/64", "ERR_INVALID_VALUE"],
    ["::ffff:10.0.0.0/104", "ERR_INVALID_VALUE"],
    ["fd20::%eth0/64", "ERR_INVALID_VALUE"],
    ["fd20::/x", "ERR_INVALID_VALUE"],
    ["8.8.8.0/24", "ERR_INVALID_VALUE"],
    ["10.0.0.0/31", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["", "ERR_INVALID_VALUE"],
  ])("can't have the range %s: %s", async (cidr, code) => {
    expect(await errorsOf(create({ cidrs: [cidr] }))).toMatchObject([{ code, path: "cidrs[0]" }]);
  });

  it("has at most one range of each family, which overlaps no other network", async () => {
    await create({ cidrs: ["10.70.0.0/16", "fd70::/48"] });
    expect(await errorsOf(create({ cidrs: ["fd71::/64", "fd72::/64"] }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "cidrs[1]" },
    ]);
    expect(await errorsOf(create({ cidrs: ["10.71.0.0/24", "10.72.0.0/24"] }))).toMatchObject([
      { code: "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR", path: "cidrs[1]" },
    ]);
    expect(await errorsOf(create({ cidrs: ["10.71.0.0/24", "fd70:0:0:1::/64"] }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "cidrs[1]", message: "overlaps another network" },
    ]);
    expect(await errorsOf(create({ cidrs: ["fd73::/64", "10.70.1.0/24"] }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "cidrs[1]", message: "overlaps another network" },
    ]);
    expect(
      await errorsOf(owner.call(createNetwork, { body: { name: "v1", cidr: "fd74::/64" } })),
    ).toMatchObject([{ code: "ERR_INVALID_IPV4_CIDR", path: "cidr" }]);
    const stranger = await server.signUp();
    expect((await create({ cidrs: ["fd70::/48"] }, stranger)).cidrs).toEqual(["fd70::/48"]);
  });

  it("is created once if twenty requests want the same range at the same time", async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => create({ cidrs: ["fd80::/64"] })),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it.each(["25519", "P256"] as const)("has a CA of version 2 with curve %s", async (curve) => {
    const { id, signingCAID } = await create({ curve });
    const { data } = await owner.call(listCertificateAuthorities, { query: { "filter.networkID": id } });
    expect(data).toMatchObject([{ id: signingCAID, curve, certVersion: 2, state: "SIGNING" }]);
    const [row] = await server.query<{ certificate: string }>(
      "select certificate from certificate_authorities where id = $1",
      [signingCAID],
    );
    const { details } = decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", row?.certificate ?? ""));
    expect(details.isCa).toBe(true);
    expect(details.publicKey).toHaveLength(curve === "P256" ? 65 : 32);
  });
});

describe("the IPv4 range of a network", () => {
  it("can be added once to a network that has only an IPv6 range", async () => {
    const { id, cidrs } = await create();
    const host = await owner.call(createHostV2, { body: { name: "before", networkID: id } });
    const changed = await addCidr(id, "10.90.0.0/24");
    expect(changed.cidrs).toEqual(["10.90.0.0/24", ...cidrs]);
    expect(await errorCodesOf(addCidr(id, "10.91.0.0/24"))).toEqual(["ERR_NETWORK_ALREADY_HAS_IPV4_CIDR"]);
    const ipAddresses = ["10.90.0.0/24"];
    const later = await owner.call(createHostV2, { body: { name: "later", networkID: id, ipAddresses } });
    expect(later.ipAddresses).toEqual(["10.90.0.1", expect.stringMatching(/::2$/)]);
    expect(host.ipAddresses).toEqual([expect.stringMatching(/::1$/)]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
    expect(data[0]?.event).toMatchObject({
      type: "UPDATED",
      before: { cidrs },
      after: { cidrs: ["10.90.0.0/24", ...cidrs], certVersion: 2, curve: "25519" },
    });
  });

  it.each([
    ["fd90::/64", "ERR_INVALID_IPV4_CIDR"],
    ["10.90.1.1/24", "ERR_INVALID_IPV4_CIDR"],
    ["10.0.0.0/31", "ERR_INVALID_CIDR_MASK_SIZE"],
    ["192.0.2.0/24", "ERR_INVALID_VALUE"],
    ["", "ERR_INVALID_IPV4_CIDR"],
  ])("can't be %s: %s", async (cidr, code) => {
    const { id } = await create();
    expect(await errorsOf(addCidr(id, cidr))).toMatchObject([{ code, path: "cidr" }]);
  });

  it("is added once by twenty requests at the same time, and to no two networks", async () => {
    const { id } = await create();
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => addCidr(id, `10.92.${index}.0/24`)),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const others = [await create(), await create()];
    const same = await Promise.allSettled(others.map((other) => addCidr(other.id, "10.93.0.0/24")));
    expect(same.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("can be added only with permission, and only by members of the organization", async () => {
    const { id } = await create();
    const auditor = await joinAs(server, owner, "auditor");
    expect(await errorCodesOf(addCidr(id, "10.94.0.0/24", auditor))).toEqual(["ERR_FORBIDDEN"]);
    const { token } = await insertApiKey(server, owner, ["networks:read"]);
    const body = { cidr: "10.94.0.0/24" };
    expect(
      await errorCodesOf(server.client(token)(addNetworkCidr, { params: { networkID: id }, body })),
    ).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(addCidr(id, "10.94.0.0/24", await server.signUp()))).toEqual(["ERR_NOT_FOUND"]);
    const { cidrs } = await owner.call(getNetworkV2, { params: { networkID: id } });
    expect(cidrs).toHaveLength(1);
  });
});
