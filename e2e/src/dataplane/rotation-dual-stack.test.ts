/** The rotation of a P256 CA with version 2 certificates; rotation.test.ts covers offline hosts and crashes. */
import { getCaRotation, rotateCa } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { until } from "../until.ts";
import { readFingerprint } from "./copied-identity.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { PingableNetwork } from "./pingable-network.ts";
import type { TestNetwork } from "./test-network.ts";
import { verifyCertificate } from "./verify-certificate.ts";

/** The server waits 75 s for idle tunnels before it retires the old CA. */
const STEP_SECONDS_MAX = 200;
const TEST_MS_MAX = 300_000;

let testNetwork: TestNetwork;
let lighthouse: OverlayHost;
let one: OverlayHost;
let two: OverlayHost;

beforeAll(async () => {
  const body = { certVersion: 2 as const, curve: "P256" as const, cidrs: ["10.47.0.0/16", "fd47::/64"] };
  const network = await PingableNetwork.create("1.11.0", inject("server"), { body });
  ({ testNetwork, lighthouse } = network);
  const { roleID } = network;
  one = await testNetwork.addHost("one", { roleID });
  two = await testNetwork.addHost("two", { roleID });
  await testNetwork.startHosts(lighthouse);
  for (const address of two.addresses) await until("one reaches two", () => one.probe.ping(address));
});
afterAll(() => testNetwork.remove());

it(
  "a new P256 CA replaces the old one, and no ping is lost in either family",
  async () => {
    const { network, hosts } = testNetwork;
    const params = { networkID: network.id };
    const fingerprints = () => hosts.map(readFingerprint);
    const before = fingerprints();
    const pings = [
      ...two.addresses.map((address) => one.probe.startPing(address)),
      ...one.addresses.map((address) => two.probe.startPing(address)),
      ...lighthouse.addresses.map((address) => one.probe.startPing(address)),
    ];
    await testNetwork.call(rotateCa, { params, body: {} });
    const step = async () => (await testNetwork.call(getCaRotation, { params }))?.step;
    const limit = { seconds: STEP_SECONDS_MAX, everyMs: 500 };
    await until("the old CA is retired", async () => (await step()) === "DONE", limit);
    const countCertificates = (host: OverlayHost) =>
      host.file("nebula.yml").match(/BEGIN NEBULA CERTIFICATE V2/g)?.length;
    // The host's own certificate and one CA.
    await until("no host trusts the old CA", () => hosts.every((host) => countCertificates(host) === 2));
    for (const fingerprint of fingerprints()) expect(before).not.toContain(fingerprint);
    for (const host of hosts) expect(await verifyCertificate(network, host)).not.toEqual([]);
    for (const ping of pings) {
      const { received, lost } = await ping.stop();
      expect(received).toBeGreaterThan(0);
      expect(lost).toBe(0);
    }
  },
  TEST_MS_MAX,
);
