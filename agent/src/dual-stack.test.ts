/** Two hosts with version 2 certificates and addresses of both families, with the real nebula and both curves. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { curves } from "@lightkeeper/nebula";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { runDebugCommand } from "./debug-commands.ts";
import { LIGHTHOUSE, NebulaPair } from "./testing/nebula-pair.ts";
import { createNetwork } from "./testing/test-network.ts";

// These tests start processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const newest = (await nebulaBinaries()).at(-1) ?? { version: "", nebula: "" };
const toIpv6 = (address: string) => `fd00:100::${address.split(".").at(-1)}`;
const LIGHTHOUSE_IPV6 = toIpv6(LIGHTHOUSE);

describe.each(curves)(`nebula ${newest.version} with curve %s`, (curve) => {
  const network = createNetwork(curve);
  let pair: NebulaPair;

  beforeAll(async () => {
    pair = await NebulaPair.start(newest, network, (publicKey, name, address) =>
      network.issueV2(publicKey, [`${address}/22`, `${toIpv6(address)}/64`], name),
    );
    await pair.waitForTunnel();
  });
  afterAll(() => pair.remove());

  const runCommand = (command: string, target: string) =>
    runDebugCommand({ command, args: { target } }, pair.host);

  const certificate = {
    version: 2,
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    signature: expect.stringMatching(/^[0-9a-f]+$/),
    details: {
      name: "lighthouse",
      ips: [`${LIGHTHOUSE}/22`, `${LIGHTHOUSE_IPV6}/64`],
      subnets: [],
      groups: [],
      notBefore: expect.any(String),
      notAfter: expect.any(String),
      publicKey: expect.stringMatching(curve === "P256" ? /^04[0-9a-f]{128}$/ : /^[0-9a-f]{64}$/),
      isCa: false,
      issuer: expect.stringMatching(/^[0-9a-f]{64}$/),
      curve: curve === "P256" ? "P256" : "CURVE25519",
    },
  };

  it("reports its tunnel once, with the first address and the handshake", async () => {
    expect(await pair.waitForTunnel()).toEqual([
      {
        vpnIp: LIGHTHOUSE,
        remoteAddress: `127.0.0.1:${pair.port}`,
        relays: [],
        handshakeAt: expect.any(String),
        latencyMs: expect.any(Number),
      },
    ]);
  });

  it.each([LIGHTHOUSE, LIGHTHOUSE_IPV6])("prints the tunnel and the certificate of %s", async (target) => {
    expect(await runCommand("PrintTunnel", target)).toMatchObject({ vpnIp: LIGHTHOUSE, cert: certificate });
    expect(await runCommand("PrintCert", target)).toEqual(certificate);
    expect(await runCommand("CreateTunnel", target)).toBe("Tunnel already exists");
  });

  it("creates tunnels to IPv6 addresses and queries its lighthouse for them", async () => {
    expect(await runCommand("CreateTunnel", "fd00:100::9")).toBe("Created");
    expect(await runCommand("QueryLighthouse", "fd00:100::8")).toEqual({});
    expect(await runCommand("PrintTunnel", "fd00:100::8")).toContain("Could not find tunnel");
  });
});
