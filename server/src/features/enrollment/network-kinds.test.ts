/** Agents in networks of every certificate version and curve. */
import {
  blockHostV2,
  createEnrollmentCode,
  createHostV2,
  createNetworkV2,
  createRoute,
  type HostV2CreateInput,
  type NetworkV2,
  updateHostV3,
} from "@lightkeeper/contract";
import {
  type CertificateV1,
  type CertificateV2,
  decodeCertificateV1,
  decodeCertificateV2,
  decodePem,
  formatIpPrefix,
  toIpPrefix,
} from "@lightkeeper/nebula";
import { verifyV1, verifyV2 } from "@lightkeeper/nebula/signing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { newP256HostKey, newP256TunnelKey } from "../../testing/agent-keys.ts";
import { enrollBody, post, TestAgent } from "../../testing/test-agent.ts";

const userAgent = (nebula: string) => `lightkeeper-agent/1.0.0 (linux; arm64) nebula/${nebula}`;
const NEWEST = userAgent("1.11.0");

let server: TestServer;
let owner: Session;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  await createFleet(server, owner);
});
afterAll(() => server.close());

type NetworkBody = Partial<Pick<NetworkV2, "certVersion" | "curve" | "cidrs">>;
const createNetwork = (body: NetworkBody) =>
  owner.call(createNetworkV2, { body: { name: `Network ${++count}`, ...body } });
const addHost = (networkID: string, host: Partial<HostV2CreateInput> = {}) =>
  owner.call(createHostV2, { body: { name: `host-${++count}`, networkID, ...host } });
const enroll = (hostID: string, agent = NEWEST) => TestAgent.enrollHost(server.url, owner, hostID, agent);

async function readCa(networkID: string): Promise<string> {
  const [row] = await server.query<{ certificate: string }>(
    "select certificate from certificate_authorities where network_id = $1",
    [networkID],
  );
  return row?.certificate ?? "";
}

const readV1 = (pem: string): CertificateV1 => decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem));
const readV2 = (pem: string): CertificateV2 => decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem));

async function verifyCertificate({ id, certVersion }: NetworkV2, pem: string) {
  const [ca, at] = [await readCa(id), new Date()];
  return certVersion === 1
    ? verifyV1({ certificate: readV1(pem), ca: readV1(ca), at })
    : verifyV2({ certificate: readV2(pem), ca: readV2(ca), at });
}

const networksIn = (certVersion: 1 | 2, pem: string) =>
  (certVersion === 1 ? readV1(pem).details.networks.map(toIpPrefix) : [...readV2(pem).details.networks]).map(
    formatIpPrefix,
  );

const kinds: { body: NetworkBody; ipAddresses: string[]; networks: string[] }[] = [
  { body: { curve: "P256", cidrs: ["10.40.0.0/24"] }, ipAddresses: [], networks: ["10.40.0.1/24"] },
  { body: { certVersion: 2, cidrs: ["fd41::/64"] }, ipAddresses: [], networks: ["fd41::1/64"] },
  {
    body: { certVersion: 2, curve: "P256", cidrs: ["fd42::/112", "10.42.0.0/24"] },
    ipAddresses: ["10.42.0.9"],
    networks: ["10.42.0.9/24", "fd42::1/112"],
  },
];

describe.each(kinds)("in a network with $body", ({ body, ipAddresses, networks }) => {
  let network: NetworkV2;
  let agent: TestAgent;
  beforeAll(async () => {
    network = await createNetwork(body);
    const host = await addHost(network.id, { ipAddresses });
    agent = await enroll(host.id);
  });

  it("an agent gets a certificate of its network's CA, with its addresses", async () => {
    const { certificate, curve } = agent.state;
    expect(curve).toBe(network.curve);
    expect(await verifyCertificate(network, certificate)).toEqual({ ok: true });
    expect(networksIn(network.certVersion, certificate)).toEqual(networks);
  });

  it("an agent fetches a new configuration and a new certificate, and reports", async () => {
    const before = agent.state;
    await agent.update("DoConfigUpdate");
    expect(agent.state.certificate).toBe(before.certificate);
    expect(await agent.hasUpdate()).toBe(false);
    await owner.call(updateHostV3, {
      params: { hostID: before.hostID },
      body: { name: `renamed-${++count}` },
    });
    expect(await agent.hasUpdate()).toBe(true);
    await agent.update("DoUpdate");
    expect(agent.state.certificate).not.toBe(before.certificate);
    expect(await verifyCertificate(network, agent.state.certificate)).toEqual({ ok: true });
    expect(await agent.hasUpdate()).toBe(false);
    expect((await agent.report({ configHash: "0", nebulaVersion: "1.11.0" })).status).toBe(200);
    const outdated = await agent.send("CheckForUpdate", undefined, before);
    expect(outdated.status).toBe(401);
  });
});

describe("with curve P256", () => {
  it("keys must be points of the curve, of the right kind", async () => {
    const { id } = await createNetwork({ curve: "P256" });
    const host = await addHost(id);
    const { code } = await owner.call(createEnrollmentCode, { params: { hostID: host.id } });
    const attempt = async (change: object) => {
      const { errors } = await post(
        `${server.url}/v2/enroll`,
        JSON.stringify({ ...enrollBody(code), ...change }),
        NEWEST,
      );
      return errors.map(({ code: error, path }) => [error, path]);
    };
    const banner = "NEBULA P256 PUBLIC KEY";
    const toKey = (bytes: Buffer) =>
      Buffer.from(
        `-----BEGIN ${banner}-----\n${bytes.toString("base64")}\n-----END ${banner}-----\n`,
      ).toString("base64");
    const rejected = [["ERR_INVALID_VALUE", "nebulaPubkeyP256"]];
    expect(await attempt({ nebulaPubkeyP256: toKey(Buffer.alloc(65, 4)) })).toEqual(rejected);
    expect(await attempt({ nebulaPubkeyP256: toKey(Buffer.alloc(65)) })).toEqual(rejected);
    expect(await attempt({ nebulaPubkeyP256: toKey(Buffer.alloc(33, 2)) })).toEqual(rejected);
    expect(await attempt({ nebulaPubkeyP256: null })).toEqual(rejected);
    expect(await attempt({ nebulaPubkeyP256: newP256HostKey().publicPem })).toEqual(rejected);
    expect(await attempt({ hostPubkeyP256: newP256TunnelKey().publicPem })).toEqual([
      ["ERR_INVALID_VALUE", "hostPubkeyP256"],
    ]);
    expect(await attempt({ dhPubkey: null, edPubkey: null })).toEqual([]);
  });

  it("a message can't be sent again with the other valid signature", async () => {
    const { id } = await createNetwork({ curve: "P256" });
    const agent = await enroll((await addHost(id)).id);
    const request = agent.request("CheckForUpdate");
    const send = (signature: string) =>
      post(`${server.url}/v1/dnclient`, JSON.stringify({ ...request, signature }), NEWEST);
    expect((await send(request.signature)).status).toBe(200);
    const changed = withOtherS(Buffer.from(request.signature, "base64")).toString("base64");
    expect(changed).not.toBe(request.signature);
    expect((await send(changed)).errors).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "signature" }]);
  });

  it("a block lists both fingerprints for Nebula before 1.10.3, and one for others", async () => {
    const { id } = await createNetwork({ curve: "P256" });
    const [old, current, blocked] = [await addHost(id), await addHost(id), await addHost(id)];
    const agents = [
      await enroll(old.id, userAgent("1.9.3")),
      await enroll(current.id, userAgent("1.10.3")),
      await enroll(blocked.id),
    ];
    await owner.call(blockHostV2, { params: { hostID: blocked.id } });
    const counts = [];
    for (const agent of agents.slice(0, 2)) {
      expect(await agent.hasUpdate()).toBe(true);
      await agent.update("DoConfigUpdate");
      counts.push(new Set(agent.state.config.match(/\b[0-9a-f]{64}\b/g)).size);
    }
    expect(counts).toEqual([2, 1]);
  });
});

describe("a Nebula that is too old for the network", () => {
  it.each([
    ["1.9.3", { certVersion: 2 } as const, "1.10.0"],
    ["1.6.1", { curve: "P256" } as const, "1.7.0"],
  ])("%s can't enroll in a network with %j, and the code stays valid", async (version, body, needed) => {
    const { id } = await createNetwork(body);
    const host = await addHost(id);
    const { code } = await owner.call(createEnrollmentCode, { params: { hostID: host.id } });
    const { status, errors } = await post(
      `${server.url}/v2/enroll`,
      JSON.stringify(enrollBody(code)),
      userAgent(version),
    );
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ code: "ERR_NEBULA_TOO_OLD" }]);
    expect(errors[0]?.message).toContain(`Nebula ${needed} or newer; the host has Nebula ${version}`);
    const [stored] = await server.query<{ count: number }>(
      "select count(*)::int as count from host_certificates where host_id = $1",
      [host.id],
    );
    expect(stored?.count).toBe(0);
    const agent = await TestAgent.enroll(server.url, code, NEWEST);
    expect(agent.state.hostID).toBe(host.id);
    agent.userAgent = userAgent(version);
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
  });
});

describe("a route", () => {
  it("to IPv6 subnets is in the certificate of its router and the configuration of its users", async () => {
    const { id } = await createNetwork({ certVersion: 2, cidrs: ["fd50::/64"] });
    const router = await addHost(id);
    const routableCIDRs = { "FD99:0001::/48": {}, "fd99:1::/48": { install: false } };
    const firewallRules = [
      { protocol: "TCP", portRange: { from: 22, to: 22 }, localCIDR: "FD99:1:0:2::/64" },
    ] as const;
    const route = await owner.call(createRoute, {
      body: { name: "IPv6", routerHostID: router.id, routableCIDRs, firewallRules: [...firewallRules] },
    });
    expect(route.routableCIDRs).toEqual({ "fd99:1::/48": { install: true } });
    const agent = await enroll(router.id);
    const { details } = readV2(agent.state.certificate);
    expect(details.unsafeNetworks.map(formatIpPrefix)).toEqual(["fd99:1::/48"]);
    expect(agent.state.config).toContain("fd99:1:0:2::/64");
  });

  it("to a subnet of a family that its router doesn't have is rejected, as is one inside its network", async () => {
    const { id } = await createNetwork({ certVersion: 2, cidrs: ["fd51::/64"] });
    const [router, old] = [await addHost(id), await addHost((await createNetwork({})).id)];
    const create = (routerHostID: string, cidr: string) =>
      owner.call(createRoute, {
        body: { name: `Route ${++count}`, routerHostID, routableCIDRs: { [cidr]: { install: true } } },
      });
    expect(await errorsOf(create(router.id, "192.168.7.0/24"))).toMatchObject([
      { path: "routableCIDRs.192.168.7.0/24", message: "the router has no IPv4 address" },
    ]);
    expect(await errorsOf(create(old.id, "fd99::/64"))).toMatchObject([
      { path: "routableCIDRs.fd99::/64", message: "the router has no IPv6 address" },
    ]);
    expect(await errorsOf(create(router.id, "fd51::/80"))).toMatchObject([{ code: "ERR_INVALID_VALUE" }]);
  });
});

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Replaces the number s of a DER signature by the order of the curve minus s. */
function withOtherS(der: Buffer): Buffer {
  const rLength = der[3] ?? 0;
  const r = der.subarray(2, 4 + rLength);
  const s = BigInt(`0x${der.subarray(6 + rLength).toString("hex")}`);
  const digits = (ORDER - s).toString(16);
  const other = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  // DER numbers have no leading zeros other than the one that makes them positive.
  const integer = (other[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), other]) : other;
  const body = Buffer.concat([r, Buffer.from([2, integer.length]), integer]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
