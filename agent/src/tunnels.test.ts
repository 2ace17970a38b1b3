/** Parses what nebula printed on a host with a lighthouse, a relay and a tunnel through the relay. */
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Handshakes } from "./handshakes.ts";
import { listTunnels } from "./tunnels.ts";

const recorded = (version: string, name: string) =>
  readFileSync(join(import.meta.dirname, "testing/recorded", `${version}-${name}.txt`), "utf8");

function readHandshakes(...lines: string[]): Handshakes {
  const log = { lines: new EventEmitter<{ line: [string] }>() };
  const handshakes = new Handshakes();
  handshakes.watch(log);
  for (const line of lines) log.lines.emit("line", line);
  return handshakes;
}

const nebulaWith = (handshakes: Handshakes, outputs: Record<string, string>) => ({
  handshakes,
  runConsoleCommand: async (command: string) => outputs[command] ?? "",
});

describe.each(["1.6.1", "1.9.3", "1.11.0"])("with nebula %s", (version) => {
  const handshakes = readHandshakes(...recorded(version, "handshakes").split("\n"));

  it("lists tunnels with the addresses of direct ones and the relays of others", async () => {
    const nebula = nebulaWith(handshakes, {
      "list-hostmap": recorded(version, "list-hostmap"),
      "list-hostmap -json": recorded(version, "list-hostmap-json"),
    });
    const at = { handshakeAt: expect.stringMatching(/^2026-11-17T11:3\d:\d\d\.\d{3}Z$/) };
    const latencyMs = expect.any(Number);
    const relays: string[] = [];
    expect(await listTunnels(nebula)).toEqual([
      { vpnIp: "100.100.0.1", remoteAddress: "172.31.1.1:4242", relays, ...at, latencyMs },
      { vpnIp: "100.100.0.2", remoteAddress: "172.31.1.2:4242", relays, ...at, latencyMs },
      { vpnIp: "100.100.0.3", remoteAddress: null, relays: ["100.100.0.2"], ...at, latencyMs: null },
    ]);
  });

  it("reads the time and the latency of handshakes that this host or a peer started", () => {
    expect(handshakes.find("100.100.0.2")).toMatchObject({ remoteAddress: "172.31.1.2:4242" });
    expect(handshakes.find("100.100.0.2")?.latencyMs).toBeLessThan(10);
    // Relayed, so that the duration includes the attempts to connect directly.
    for (const vpnIp of ["100.100.0.3", "100.100.0.5"])
      expect(handshakes.find(vpnIp)).toMatchObject({ latencyMs: null, remoteAddress: null });
    expect(handshakes.find("100.100.0.9")).toBeUndefined();
  });

  it("doesn't request JSON for more tunnels than it reports", async () => {
    const line = (vpnIp: string) => (version === "1.11.0" ? `[${vpnIp}]: []` : `${vpnIp}: []`);
    const addresses = Array.from({ length: 501 }, (_, index) => `100.100.${index >> 8}.${index & 255}`);
    const nebula = nebulaWith(handshakes, { "list-hostmap": addresses.map(line).join("\n") });
    const tunnels = await listTunnels(nebula);
    expect(tunnels).toHaveLength(500);
    expect(tunnels.slice(1, 5)).toEqual([
      expect.objectContaining({ vpnIp: "100.100.0.1", remoteAddress: "172.31.1.1:4242", relays: [] }),
      expect.objectContaining({ vpnIp: "100.100.0.2", remoteAddress: "172.31.1.2:4242" }),
      { vpnIp: "100.100.0.3", handshakeAt: expect.any(String), latencyMs: null },
      { vpnIp: "100.100.0.4", handshakeAt: null, latencyMs: null },
    ]);
  });
});

it("ignores handshake lines that it can't read", () => {
  const line = (fields: object) => JSON.stringify({ msg: "Handshake message received", ...fields });
  const handshake = { stage: 2 };
  const handshakes = readHandshakes(
    'level=info msg="Handshake message received" vpnIp=100.100.0.1',
    line({ vpnIp: "100.100.0.1", handshake, time: "soon" }),
    line({ vpnIp: "100.100.0.1", time: "2026-11-17T11:31:45Z" }),
    line({ handshake, time: "2026-11-17T11:31:45Z" }),
  );
  expect(handshakes.find("100.100.0.1")).toBeUndefined();
});

it("lists tunnels without their paths if nebula prints something else than JSON", async () => {
  const nebula = nebulaWith(readHandshakes(), {
    "list-hostmap": "100.100.0.1: []\n",
    "list-hostmap -json": "did not understand",
  });
  expect(await listTunnels(nebula)).toEqual([{ vpnIp: "100.100.0.1", handshakeAt: null, latencyMs: null }]);
});

describe("a tunnel with several overlay addresses", () => {
  const both = ["100.100.0.1", "fd00:100::1"];
  const remote = "[2001:db8::1]:4242";
  const handshakes = readHandshakes(
    JSON.stringify({
      msg: "Handshake message received",
      time: "2026-11-17T11:31:45Z",
      vpnAddrs: both,
      from: { direct: remote },
      handshake: { stage: 2 },
      durationNs: 2_000_000,
    }),
  );

  it("is listed once, with its first address", async () => {
    const line = `[${both.join(" ")}]: [${remote}]\n`;
    const host = { vpnAddrs: both, currentRemote: remote, currentRelaysToMe: [] };
    const nebula = nebulaWith(handshakes, {
      "list-hostmap": line + line,
      "list-hostmap -json": JSON.stringify([host, host]),
    });
    expect(await listTunnels(nebula)).toEqual([
      {
        vpnIp: "100.100.0.1",
        remoteAddress: remote,
        relays: [],
        handshakeAt: "2026-11-17T11:31:45.000Z",
        latencyMs: 2,
      },
    ]);
  });

  it("has its IPv6 address if it has no other", async () => {
    const nebula = nebulaWith(readHandshakes(), { "list-hostmap": "[fd00:100::1]: []\n" });
    expect(await listTunnels(nebula)).toMatchObject([{ vpnIp: "fd00:100::1" }]);
  });
});
