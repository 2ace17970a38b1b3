/** Runs the real nebula of every version, without a tunnel device: a lighthouse and a host on loopback. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConfigInput } from "@lightkeeper/nebula";
import type { NebulaBinaries } from "../../scripts/nebula-versions.d.mts";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { terminateOrphans } from "./adoption.ts";
import { runDebugCommand } from "./debug-commands.ts";
import { createNebulaKeys } from "./keys.ts";
import { NebulaLog } from "./nebula-log.ts";
import { Nebula, readNebulaVersion } from "./nebula.ts";
import { isAlive } from "./processes.ts";
import type { Setup } from "./state.ts";
import { StateDirectory } from "./state.ts";
import { streamLogs } from "./stream-logs.ts";
import { listTunnels } from "./tunnels.ts";
import { until } from "./testing/agent-program.ts";
import { findFreePort, LIGHTHOUSE } from "./testing/nebula-pair.ts";
import { ADDRESS, configFor, createNetwork } from "./testing/test-network.ts";
import { revealsPrivateKey } from "./testing/private-keys.ts";

// These tests start processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const binaries = await nebulaBinaries();
const ELSEWHERE = "100.100.0.9";
const ADDRESS_SHAPE = { ip: "127.0.0.1", port: expect.any(Number) };
const CERTIFICATE_SHAPE = {
  details: {
    name: "lighthouse",
    ips: [`${LIGHTHOUSE}/22`],
    subnets: [],
    groups: [],
    notBefore: expect.any(String),
    notAfter: expect.any(String),
    publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    isCa: false,
    issuer: expect.stringMatching(/^[0-9a-f]{64}$/),
    curve: "CURVE25519",
  },
  fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
  signature: expect.stringMatching(/^[0-9a-f]{128}$/),
};

describe.each(binaries)("nebula $version", ({ version, nebula: path }: NebulaBinaries) => {
  const network = createNetwork();
  const keys = createNebulaKeys("25519");
  const changes: string[] = [];
  let root: string;
  let port: number;
  let log: NebulaLog;
  let lighthouse: Nebula;
  let host: Nebula;

  function open(name: string, onChange: (message: string) => void): { nebula: Nebula; log: NebulaLog } {
    const state = new StateDirectory(join(root, name));
    state.prepare();
    const log = new NebulaLog(state.path("nebula.log"));
    return { nebula: new Nebula({ path, version, state, log, onChange }), log };
  }

  function setupOf(
    changes: Partial<ConfigInput> = {},
    pair = keys,
    certificate = network.issue(pair.publicKey),
  ) {
    const lighthouses = [{ addresses: [LIGHTHOUSE], staticAddresses: [`127.0.0.1:${port}`] }];
    const config = configFor(network, certificate, { nebulaVersion: version, lighthouses, ...changes });
    return { config, certificate, nebulaKey: pair.privateKey } satisfies Setup;
  }

  function lighthouseSetup(): Setup {
    const pair = createNebulaKeys("25519");
    const certificate = network.issue(pair.publicKey, { name: "lighthouse", address: LIGHTHOUSE });
    const self = { addresses: [LIGHTHOUSE], staticAddresses: [`127.0.0.1:${port}`] };
    const host = { ...self, listenPort: port, isLighthouse: true, isRelay: false, configOverrides: [] };
    return setupOf({ host, lighthouses: [self] }, pair, certificate);
  }

  const level = () => "info";
  const same = setupOfOnce();
  function setupOfOnce() {
    let setup: Setup | undefined;
    return () => (setup ??= setupOf());
  }

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "lk-nebula-"));
    port = await findFreePort();
    ({ nebula: lighthouse } = open("lighthouse", () => undefined));
    ({ nebula: host, log } = open("host", (message) => changes.push(message)));
    await lighthouse.apply(lighthouseSetup());
    await host.apply(same());
    await tunnelIsUp();
  });
  afterAll(async () => {
    await host.stop();
    await lighthouse.stop();
    rmSync(root, { recursive: true });
  });

  async function tunnelIsUp(): Promise<void> {
    let tunnels: unknown[] = [];
    const deadline = Date.now() + 20_000;
    while (tunnels.length === 0 && Date.now() < deadline) {
      tunnels = await listTunnels(host).catch(() => []);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(tunnels).toEqual([
      {
        vpnIp: LIGHTHOUSE,
        remoteAddress: `127.0.0.1:${port}`,
        relays: [],
        handshakeAt: expect.any(String),
        latencyMs: expect.any(Number),
      },
    ]);
  }

  const runCommand = (command: string, target?: string) =>
    runDebugCommand({ command, args: target ? { target } : {} }, host);

  it("reports its version", async () => {
    await expect(readNebulaVersion(path)).resolves.toBe(version);
  });

  it("prints a tunnel in the public shape", async () => {
    expect(await runCommand("PrintTunnel", LIGHTHOUSE)).toEqual({
      vpnIp: LIGHTHOUSE,
      localIndex: expect.any(Number),
      remoteIndex: expect.any(Number),
      remoteAddrs: [ADDRESS_SHAPE],
      currentRemote: ADDRESS_SHAPE,
      cachedPackets: expect.any(Number),
      messageCounter: expect.any(Number),
      cert: expect.objectContaining(CERTIFICATE_SHAPE),
      currentRelaysToMe: [],
      currentRelaysThroughMe: [],
    });
  });

  it("prints a peer's certificate in the public shape", async () => {
    expect(await runCommand("PrintCert", LIGHTHOUSE)).toMatchObject(CERTIFICATE_SHAPE);
  });

  it("queries a lighthouse and returns the public shape", async () => {
    expect(await runCommand("QueryLighthouse", LIGHTHOUSE)).toMatchObject({
      [LIGHTHOUSE]: { learned: [ADDRESS_SHAPE], relay: [] },
    });
    expect(await runCommand("QueryLighthouse", ELSEWHERE)).toEqual({});
  });

  it("creates a tunnel, and reports when it already exists", async () => {
    expect(await runCommand("CreateTunnel", ELSEWHERE)).toBe("Created");
    expect(await runCommand("CreateTunnel", LIGHTHOUSE)).toBe("Tunnel already exists");
  });

  it("reports that there is no tunnel", async () => {
    expect(await runCommand("PrintTunnel", "100.100.0.8")).toContain("Could not find tunnel");
    expect(await runCommand("PrintCert", "100.100.0.8")).toContain("Could not find tunnel");
  });

  it("passes only valid addresses to the debug console", async () => {
    for (const target of ["100.100.0.1 -address 192.0.2.1:1", "; reload", "", undefined])
      expect(await runCommand("CreateTunnel", target)).toBe("The target must be an IP address.");
  });

  it("describes its threads", async () => {
    expect(await runCommand("DebugStack")).toMatch(/^nebula, process \d+, \d+ threads\nthread \d+ nebula: /);
  });

  it("reveals no private key in any command's result", async () => {
    const results = [
      ...["PrintTunnel", "PrintCert", "QueryLighthouse", "CreateTunnel"].map((command) => [
        command,
        LIGHTHOUSE,
      ]),
      ["DebugStack"],
      ["PrintCert"],
    ].map(([command = "", target]) => runCommand(command, target));
    for (const result of await Promise.all(results))
      expect(revealsPrivateKey(JSON.stringify(result), [keys.privateKey])).toBe(false);
    for (const command of ["print-cert", "print-cert -raw", "list-hostmap -json -pretty"])
      expect(revealsPrivateKey(await host.runConsoleCommand(command), [keys.privateKey])).toBe(false);
    expect(revealsPrivateKey(readFileSync(join(root, "host", "nebula.log"), "utf8"), [keys.privateKey])).toBe(
      false,
    );
  });

  it("streams its log at a more verbose level, then restores the configured level", async () => {
    const { signal } = new AbortController();
    const args = { durationSeconds: 2, level: "debug" };
    const source = {
      lines: log.lines,
      level,
      runConsoleCommand: (command: string) => host.runConsoleCommand(command),
    };
    const lines: { level: string; msg: string }[] = [];
    for await (const chunk of streamLogs({ command: "StreamLogs", args }, source, signal)) {
      for (const line of chunk.trim().split("\n")) lines.push(JSON.parse(line));
      await host.runConsoleCommand("query-lighthouse 100.100.0.7");
    }
    expect(lines[0]).toEqual({ ...args, msg: "Log streaming session started", time: expect.any(String) });
    expect(lines.some(({ level }) => level.toLowerCase() === "debug")).toBe(true);
    expect(await host.runConsoleCommand("log-level")).toContain("info");
  });

  it("keeps its key out of the configuration file, and both files readable by the owner only", () => {
    const file = join(root, "host/nebula.yml");
    expect(readFileSync(file, "utf8")).not.toContain("PRIVATE KEY");
    const [, keyPath = ""] = /^ {2}key: "(.*)"$/m.exec(readFileSync(file, "utf8")) ?? [];
    expect(readFileSync(keyPath, "utf8")).toBe(keys.privateKey);
    for (const path of [file, keyPath]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("rejects an invalid configuration with nebula's own message and keeps running", async () => {
    const before = host.running();
    const good = setupOf();
    const bad = { ...good, config: good.config.replace('proto: "icmp"', 'proto: "zzz"') };
    await expect(host.apply(bad)).rejects.toThrow(/^Nebula rejected the configuration: .*zzz/);
    expect(host.running()).toEqual(before);
  });

  it("keeps running when nothing changed, and reloads new rules", async () => {
    const { pid } = host.running() ?? {};
    await host.apply(same());
    const more = setupOf({ roleRules: [{ protocol: "ANY" }] }, keys, same().certificate);
    await host.apply(more);
    expect(host.running()).toMatchObject({ pid, setup: more });
    await until(() => readFileSync(join(root, "host/nebula.log"), "utf8").includes("Caught HUP, reloading"));
    await tunnelIsUp();
  });

  it("applies a new key and certificate, with a restart before 1.7", async () => {
    const { pid } = host.running() ?? {};
    await host.apply(setupOf({}, createNebulaKeys("25519")));
    expect(host.running()?.pid === pid).toBe(version !== "1.6.1");
    await tunnelIsUp();
  });

  it("is restarted for another port, and can return to the old port if the new port is in use", async () => {
    const occupied = createSocket("udp4").bind(0, "0.0.0.0");
    await once(occupied, "listening");
    const good = setupOf();
    const { port: listenPort } = occupied.address();
    const host1 = { addresses: [ADDRESS], staticAddresses: [], isLighthouse: false, isRelay: false };
    const bad = setupOf({ host: { ...host1, listenPort, configOverrides: [] } });
    await expect(host.apply(bad)).rejects.toThrow(/^Nebula exited immediately: /);
    occupied.close();
    await host.apply(good);
    await tunnelIsUp();
  });

  it("is started again after it crashes", async () => {
    const { pid = 0 } = host.running() ?? {};
    process.kill(pid, "SIGKILL");
    await until(() => changes.includes("Nebula is running again."));
    expect(host.running()?.pid).not.toBe(pid);
    await tunnelIsUp();
  });

  it("is continued by the next agent, with a new debug console and its tunnels", async () => {
    const setup = setupOf();
    await host.apply(setup);
    await tunnelIsUp();
    const { pid, since } = host.running() ?? {};
    const { nebula: next, log: nextLog } = open("host", () => undefined);
    await next.adopt([setupOf(), setup]);
    expect(next.running()).toMatchObject({ pid, setup });
    expect(Math.abs(Number(next.running()?.since) - Number(since))).toBeLessThan(5000);
    expect(
      await runDebugCommand({ command: "PrintTunnel", args: { target: LIGHTHOUSE } }, next),
    ).toMatchObject({
      vpnIp: LIGHTHOUSE,
    });
    await expect(host.runConsoleCommand("list-hostmap")).rejects.toThrow();
    const more = setupOf({ roleRules: [{ protocol: "ANY" }] }, keys, setup.certificate);
    await next.apply(more);
    expect(next.running()).toMatchObject({ pid, setup: more });
    expect(await listTunnels(next)).toMatchObject([{ vpnIp: LIGHTHOUSE, handshakeAt: expect.any(String) }]);
    await next.stop();
    expect(isAlive(pid ?? 0)).toBe(false);
    nextLog.close();
    await host.stop();
    await host.apply(same());
    await tunnelIsUp();
  });

  it("is found and terminated after its agent was killed", async () => {
    const { pid = 0 } = host.running() ?? {};
    await terminateOrphans(new StateDirectory(join(root, "host")));
    expect(isAlive(pid)).toBe(false);
  });
});
