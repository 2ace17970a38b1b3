/** What an agent reports about its tunnels, system and traffic. */
import { getHostState, getHostTraffic, type HostV2, NotFoundError } from "@lightkeeper/contract";
import type { ReportStatus } from "@lightkeeper/contract/agent";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const stateOf = ({ id }: HostV2) => owner.call(getHostState, { params: { hostID: id } });
const trafficOf = ({ id }: HostV2, { call } = owner) => call(getHostTraffic, { params: { hostID: id } });

const sum = (buckets: (number | null)[]) => buckets.reduce<number>((total, bytes) => total + (bytes ?? 0), 0);

async function enrolled() {
  const host = await fleet.add();
  const agent = await TestAgent.enrollHost(server.url, owner, host.id);
  const report = (status: Partial<ReportStatus>) => agent.report({ configHash: "0", ...status });
  return { host, address: host.ipAddresses[0] ?? "", agent, report };
}

describe("reported tunnels", () => {
  it("are direct with an address, or relayed by hosts with a name", async () => {
    const [host, peer, relay] = [await enrolled(), await enrolled(), await enrolled()];
    const handshakeAt = "2026-05-04T03:02:01.000Z";
    await host.report({
      tunnels: [
        {
          vpnIp: peer.address,
          remoteAddress: "203.0.113.7:4242",
          relays: [],
          handshakeAt,
          latencyMs: 1.5,
        },
        { vpnIp: "100.100.3.254", remoteAddress: null, relays: [relay.address, "100.100.3.253"] },
      ],
    });
    expect((await stateOf(host.host)).tunnels).toEqual([
      {
        vpnIp: peer.address,
        hostID: peer.host.id,
        hostName: peer.host.name,
        path: "direct",
        remoteAddress: "203.0.113.7:4242",
        relays: [],
        handshakeAt,
        latencyMs: 1.5,
      },
      {
        vpnIp: "100.100.3.254",
        path: "relayed",
        remoteAddress: null,
        relays: [
          { vpnIp: relay.address, hostID: relay.host.id, hostName: relay.host.name },
          { vpnIp: "100.100.3.253" },
        ],
        handshakeAt: null,
        latencyMs: null,
      },
    ]);
  });

  it("show where other hosts reach the host, the most recently reported address first", async () => {
    const [host, first, second, stranger] = [
      await enrolled(),
      await enrolled(),
      await enrolled(),
      await enrolled(),
    ];
    const seeAt = (remoteAddress: string | null) => ({
      tunnels: [
        { vpnIp: "100.100.3.252", remoteAddress: "203.0.113.99:1" },
        { vpnIp: host.address, remoteAddress },
      ],
    });
    await host.report({ tunnels: [{ vpnIp: first.address }, { vpnIp: second.address }] });
    await first.report(seeAt("203.0.113.1:4242"));
    await stranger.report(seeAt("203.0.113.3:4242"));
    expect((await stateOf(host.host)).publicEndpoints).toEqual(["203.0.113.1:4242"]);
    await second.report(seeAt("203.0.113.2:4242"));
    expect((await stateOf(host.host)).publicEndpoints).toEqual(["203.0.113.2:4242", "203.0.113.1:4242"]);
    await second.report(seeAt("203.0.113.1:4242"));
    await first.report(seeAt(null));
    expect((await stateOf(host.host)).publicEndpoints).toEqual(["203.0.113.1:4242"]);
  });

  it("are rejected if a field is too long or has the wrong type", async () => {
    const { address, agent } = await enrolled();
    const send = (changes: object) =>
      agent.send("ReportStatus", {
        configHash: "0",
        nebulaVersion: null,
        appliedAt: "2026-05-04T03:02:01.000Z",
        ...changes,
      });
    const tunnel = (changes: object) => ({ tunnels: [{ vpnIp: address, ...changes }] });
    for (const changes of [
      tunnel({ remoteAddress: "1".repeat(65) }),
      tunnel({ relays: Array.from({ length: 11 }, () => address) }),
      tunnel({ handshakeAt: "yesterday" }),
      tunnel({ latencyMs: -1 }),
      { system: { os: "x".repeat(256), arch: "amd64" } },
      { traffic: { receivedBytes: -1, sentBytes: 0 } },
      { traffic: { receivedBytes: 1.5, sentBytes: 0 } },
    ])
      expect((await send(changes)).status).toBe(400);
    expect((await send({ system: null, traffic: null, ...tunnel({}) })).status).toBe(200);
  });
});

describe("the reported system", () => {
  it("is shown, and not if the agent no longer reports it", async () => {
    const { host, report } = await enrolled();
    await report({ system: { os: "Debian GNU/Linux 12", kernel: "6.8.0", arch: "amd64" } });
    expect((await stateOf(host)).system).toEqual({
      os: "Debian GNU/Linux 12",
      kernel: "6.8.0",
      arch: "amd64",
    });
    await report({ system: { os: "Alpine Linux v3.20", arch: "arm64" } });
    expect((await stateOf(host)).system).toEqual({ os: "Alpine Linux v3.20", kernel: null, arch: "arm64" });
    await report({});
    expect((await stateOf(host)).system).toBeNull();
  });
});

describe("the reported traffic", () => {
  it("is summed per quarter of an hour, and is null before the first report", async () => {
    const { host, report } = await enrolled();
    const before = await trafficOf(host);
    expect(before).toMatchObject({ reportedAt: null, bucketSeconds: 900 });
    expect(before.receivedBytes).toEqual(Array.from({ length: 96 }, () => null));
    await report({ traffic: { receivedBytes: 1000, sentBytes: 10 } });
    await report({});
    await report({ traffic: { receivedBytes: 1500, sentBytes: 11 } });
    const { receivedBytes, sentBytes, reportedAt } = await trafficOf(host);
    expect(reportedAt).not.toBeNull();
    expect([sum(receivedBytes), sum(sentBytes)]).toEqual([500, 1]);
    expect(receivedBytes.at(-1)).not.toBeNull();
    expect(receivedBytes.slice(0, -2)).toEqual(Array.from({ length: 94 }, () => null));
  });

  it("can exceed 32 bits", async () => {
    const { host, report } = await enrolled();
    await report({ traffic: { receivedBytes: 0, sentBytes: 0 } });
    await report({ traffic: { receivedBytes: 9e15, sentBytes: 1 } });
    const { receivedBytes } = await trafficOf(host);
    expect(sum(receivedBytes)).toBe(9e15);
  });

  it("is stored for many hosts that report at the same time", async () => {
    const hosts = await Promise.all([enrolled(), enrolled(), enrolled(), enrolled()]);
    for (const receivedBytes of [0, 7])
      await Promise.all(hosts.map(({ report }) => report({ traffic: { receivedBytes, sentBytes: 0 } })));
    for (const { host } of hosts) expect(sum((await trafficOf(host)).receivedBytes)).toBe(7);
  });

  it("requires permission to read hosts of the organization", async () => {
    const host = await fleet.add();
    await expect(trafficOf(host, await server.signUp())).rejects.toBeInstanceOf(NotFoundError);
    const { token } = await insertApiKey(server, owner, ["hosts:list"]);
    const call = server.client(token)(getHostTraffic, { params: { hostID: host.id } });
    expect(await errorCodesOf(call)).toEqual(["ERR_FORBIDDEN"]);
  });
});
