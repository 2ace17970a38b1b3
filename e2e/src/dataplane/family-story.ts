/** What every network guarantees, with real packets in every address family that its hosts have. */
import { blockHostV2, updateHostV3, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeParallelStory } from "../story.ts";
import { until } from "../until.ts";
import { readFingerprint } from "./copied-identity.ts";
import { countEchoesBetween } from "./count-echoes.ts";
import {
  ANY_ADDRESS,
  createFamilyNetwork,
  type FamilyNetwork,
  type NetworkKind,
  OPEN,
  serverRules,
  SHUT,
} from "./family-network.ts";
import { findForwarders } from "./find-forwarders.ts";
import type { OverlayHost } from "./overlay-host.ts";
import type { Protocol } from "./probe.ts";
import { readPeerCertificate } from "./read-peer-certificate.ts";
import { findNebulaBinaries } from "./test-network.ts";
import { verifyCertificate } from "./verify-certificate.ts";

const NEW = 8081;

type Get = () => FamilyNetwork;

export function describeNetworkKinds(kinds: readonly NetworkKind[]): void {
  for (const kind of kinds)
    describeParallelStory(`${kind.name}, with nebula ${kind.version}`, () => {
      let world: FamilyNetwork;
      beforeAll(async () => {
        world = await createFamilyNetwork(kind, inject("server"));
      });
      afterAll(() => world.testNetwork.remove());

      testCertificates(() => world);
      testCopy(() => world);
      testRules(() => world);
      testRoutes(() => world);
      testRelay(() => world);
      testUpdates(() => world);
      testBlock(() => world);
    });
}

const expectReach = (from: OverlayHost, protocol: Protocol, address: string, port: number) =>
  until(`${from.machine.name} reaches ${protocol} ${address} ${port}`, () =>
    from.probe.reach(protocol, address, port),
  );
const expectPing = (from: OverlayHost, address: string) =>
  until(`${from.machine.name} pings ${address}`, () => from.probe.ping(address));

/** Expects that none of the ports responds, although the hosts have a tunnel. */
async function expectClosed(from: OverlayHost, ...ports: [Protocol, string, number][]): Promise<void> {
  const replies = await Promise.all(
    ports.map(async (port) => [...port, await from.probe.reach(...port, 1500)]),
  );
  expect(replies).toEqual(ports.map((port) => [...port, false]));
}

function testCertificates(get: Get): void {
  it.sequential("each host has an address of every family and a certificate that nebula-cert accepts", async () => {
    const { testNetwork } = get();
    const { network, hosts } = testNetwork;
    const isIpv6 = (text: string) => text.includes(":");
    for (const host of hosts) expect(host.addresses.map(isIpv6)).toEqual(network.cidrs.map(isIpv6));
    const versions = await Promise.all(hosts.map((host) => verifyCertificate(network, host)));
    const [, older, newer] = (await findNebulaBinaries()).map(({ version }) => version);
    expect(versions).toEqual(hosts.map(() => (network.certVersion === 2 ? [newer] : [older, newer])));
  });
}

function testRules(get: Get): void {
  it.sequential("a host accepts exactly the traffic that its rules allow", async () => {
    const { client, server, lighthouse } = get();
    await Promise.all(
      server.addresses.map(async (address) => {
        for (const protocol of ["tcp", "udp"] as const) await expectReach(client, protocol, address, OPEN);
        for (const host of [client, lighthouse]) await expectPing(host, address);
        await Promise.all([
          expectClosed(client, ["tcp", address, SHUT], ["udp", address, SHUT]),
          expectClosed(lighthouse, ["tcp", address, OPEN], ["udp", address, OPEN]),
        ]);
      }),
    );
  });

  it.sequential("a host without rules rejects pings and ports", async () => {
    const { client, relay } = get();
    for (const address of relay.addresses) await expectReach(client, "tcp", address, OPEN);
    await Promise.all(
      client.addresses.map(async (address) => {
        await expectClosed(relay, ["tcp", address, OPEN], ["udp", address, OPEN]);
        expect(await relay.probe.ping(address)).toBe(false);
      }),
    );
  });
}

function testRoutes(get: Get): void {
  it.sequential("a route leads to a subnet of each family, and its rules allow only a part of it", async () => {
    const { client, subnets } = get();
    for (const { printer } of subnets) await expectReach(client, "tcp", printer, OPEN);
    await Promise.all(
      subnets.map(async ({ printer, camera }) => {
        await expectClosed(client, ["tcp", printer, SHUT], ["udp", printer, OPEN], ["tcp", camera, OPEN]);
        expect(await client.probe.ping(printer)).toBe(false);
      }),
    );
  });
}

function testRelay(get: Get): void {
  it.sequential("a relay connects hosts without a direct connection", async () => {
    const { client, distant, lighthouse, relay } = get();
    for (const address of distant.addresses) {
      await expectPing(client, address);
      expect(await findForwarders([lighthouse, relay], client, address)).toEqual(["relay"]);
    }
  });
}

function testUpdates(get: Get): void {
  it.sequential("a new certificate and new rules are applied without a restart, and no ping is lost", async () => {
    const { testNetwork, client, server, clientRoleID, serverRoleID } = get();
    const pids = [...(await client.nebulaPids()), ...(await server.nebulaPids())];
    const before = readFingerprint(client);
    const running = server.addresses.map((address) => client.probe.startPing(address));
    const params = { hostID: client.id };
    const body = { name: "renamed", roleID: clientRoleID };
    await testNetwork.call(updateHostV3, { params, body });
    await testNetwork.call(updateRole, {
      params: { roleID: serverRoleID },
      body: { firewallRules: serverRules(clientRoleID, OPEN, NEW) },
    });
    for (const address of ANY_ADDRESS) await server.probe.serve("tcp", NEW, address);
    for (const address of server.addresses) await expectReach(client, "tcp", address, NEW);
    await until("the server sees the new certificate", async () => {
      const { details, fingerprint } = await readPeerCertificate(testNetwork.call, server, client.address);
      return details?.name === "renamed" && fingerprint !== before;
    });
    for (const { received, lost } of await Promise.all(running.map((ping) => ping.stop()))) {
      expect(received).toBeGreaterThan(0);
      expect(lost).toBe(0);
    }
    expect([...(await client.nebulaPids()), ...(await server.nebulaPids())]).toEqual(pids);
    expect(await verifyCertificate(testNetwork.network, client)).not.toEqual([]);
  });
}

function testCopy(get: Get): void {
  it.sequential("a copy of a host's certificate and key connects while the host isn't blocked", async () => {
    const { distant, copyOfDistant, server, lighthouse } = get();
    await distant.stop();
    await copyOfDistant.runDuring(async () => {
      for (const address of server.addresses) await expectPing(distant, address);
    });
    distant.start();
    // Replaces the tunnels to the copy, which the others would detect only later.
    for (const { addresses } of [lighthouse, server])
      for (const address of addresses) await expectPing(distant, address);
  });
}

function testBlock(get: Get): void {
  it.sequential("a blocked host is disconnected from all hosts, also with the copy", async () => {
    const { testNetwork, client, server, relay, lighthouse, distant, copyOfDistant } = get();
    const others = [client, server, relay, lighthouse];
    const ways = others.flatMap((other) => distant.addresses.map((address) => [other, address] as const));
    await Promise.all(ways.map(([other, address]) => expectPing(other, address)));
    await testNetwork.call(blockHostV2, { params: { hostID: distant.id } });
    await Promise.all(
      ways.map(([{ machine, probe }, address]) =>
        until(`${machine.name} gets no reply`, async () => !(await probe.ping(address))),
      ),
    );
    await distant.stop();
    expect(copyOfDistant.fingerprint).toBe(readFingerprint(distant));
    await copyOfDistant.runDuring(async () => expect(await countEchoesBetween(distant, others)).toBe(0));
  });
}
