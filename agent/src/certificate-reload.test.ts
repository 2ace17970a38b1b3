/** Every change of certificates, with the real nebula: what is chosen, and what a running nebula does on a reload. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { chooseApplyMethod } from "./apply-method.ts";
import type { ApplyMethod } from "./apply-method.ts";
import { completeConfig, writeConfig } from "./config.ts";
import { createNebulaKeys } from "./keys.ts";
import { NebulaLog, parseLogLine } from "./nebula-log.ts";
import { until } from "./testing/agent-program.ts";
import { ADDRESS, configFor, createNetwork } from "./testing/test-network.ts";

// These tests start processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { version, nebula } = (await nebulaBinaries()).at(-1) ?? { version: "", nebula: "" };
const network = createNetwork();
const keys = createNebulaKeys("25519");
const otherKeys = createNebulaKeys("25519");
const [IPV4, IPV6, OTHER_IPV6] = [`${ADDRESS}/22`, "fd00:100::2/64", "fd00:200::2/64"];

const v1 = network.issue(keys.publicKey);
const v1Moved = network.issue(keys.publicKey, { address: "100.100.0.3" });
const v2 = network.issueV2(keys.publicKey, [IPV4, IPV6]);
const v2OnlyIpv4 = network.issueV2(keys.publicKey, [IPV4]);
const v2Moved = network.issueV2(keys.publicKey, ["100.100.0.3/22", IPV6]);
const v2OtherIpv6 = network.issueV2(keys.publicKey, [IPV4, OTHER_IPV6]);
const renewed = network.issue(keys.publicKey, { groups: ["renewed"] });

interface Transition {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly method: ApplyMethod;
  /** Nebula doesn't compare the certificates if each has another version. */
  readonly isAcceptedAnyway?: true;
}

const transitions: Transition[] = [
  { name: "renews version 1", before: v1, after: renewed, method: "reload" },
  { name: "moves version 1", before: v1, after: v1Moved, method: "restart" },
  { name: "adds version 2", before: v1, after: v1 + v2, method: "reload" },
  { name: "adds version 2 and moves version 1", before: v1, after: v1Moved + v2Moved, method: "restart" },
  { name: "renews version 1 beside version 2", before: v1 + v2, after: renewed + v2, method: "reload" },
  { name: "changes the IPv6 address", before: v1 + v2, after: v1 + v2OtherIpv6, method: "restart" },
  { name: "removes the IPv6 address", before: v2, after: v2OnlyIpv4, method: "restart" },
  { name: "adds an IPv6 address to version 2", before: v2OnlyIpv4, after: v2, method: "restart" },
  { name: "removes version 1", before: v1 + v2, after: v2, method: "reload" },
  { name: "removes version 2", before: v1 + v2, after: v1, method: "restart" },
  { name: "removes version 2 with the same networks", before: v1 + v2OnlyIpv4, after: v1, method: "reload" },
  { name: "adds version 1", before: v2, after: v1 + v2, method: "reload" },
  { name: "replaces version 1 by version 2", before: v1, after: v2, method: "reload" },
  { name: "replaces version 2 by version 1", before: v2, after: v1, method: "restart" },
  { name: "moves to version 2", before: v1, after: v2Moved, method: "restart", isAcceptedAnyway: true },
];

const ACCEPTED = "Client certificate(s) refreshed from disk";

let folder: string;
let log: NebulaLog;
let running: ChildProcess;
let lines: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lk-reload-"));
  writeFileSync(join(folder, "host.key"), keys.privateKey, { mode: 0o600 });
  writeFileSync(join(folder, "other.key"), otherKeys.privateKey, { mode: 0o600 });
  log = new NebulaLog(join(folder, "nebula.log"));
  log.lines.on("line", (line) => lines.push(line));
});
afterEach(async () => {
  const exited = once(running, "exit");
  running.kill("SIGTERM");
  await exited;
  lines = [];
});
afterAll(() => {
  log.close();
  rmSync(folder, { recursive: true });
});

const complete = (certificate: string, key = "host.key") =>
  completeConfig(
    { config: configFor(network, undefined, { nebulaVersion: version }), certificate, nebulaKey: "" },
    join(folder, key),
  );

const write = (config: object) =>
  writeFileSync(join(folder, "nebula.yml"), writeConfig(config as ReturnType<typeof complete>));

async function start(config: object): Promise<void> {
  write(config);
  running = spawn(nebula, ["-config", join(folder, "nebula.yml")], {
    stdio: ["ignore", log.file, log.file],
  });
  await until(() => lines.some((line) => line.includes("Nebula interface is active")));
}

/** Returns the messages of the reload, with errors. */
async function reload(config: object): Promise<{ level: string; msg: string }[]> {
  lines = [];
  write(config);
  running.kill("SIGHUP");
  const entries = () => lines.map(parseLogLine) as { level: string; msg: string }[];
  const isError = ({ level }: { level: string }) => level.toLowerCase() === "error";
  await until(() => entries().some((entry) => isError(entry) || entry.msg === ACCEPTED));
  return entries();
}

const isAccepted = (entries: { level: string; msg: string }[]) =>
  entries.some(({ msg }) => msg === ACCEPTED) &&
  !entries.some(({ level }) => level.toLowerCase() === "error");

describe(`nebula ${version}`, () => {
  it.each(transitions)("$name with a $method", async ({ before, after, method, isAcceptedAnyway }) => {
    const [previous, next] = [complete(before), complete(after)];
    expect(chooseApplyMethod(version, previous, next)).toBe(method);
    await start(previous);
    expect(isAccepted(await reload(next))).toBe(method === "reload" || isAcceptedAnyway === true);
  });

  it("takes over a new key together with both certificates", async () => {
    const [previous, next] = [
      complete(v1 + v2),
      complete(
        network.issue(otherKeys.publicKey) + network.issueV2(otherKeys.publicKey, [IPV4, IPV6]),
        "other.key",
      ),
    ];
    expect(chooseApplyMethod(version, previous, next)).toBe("reload");
    await start(previous);
    expect(isAccepted(await reload(next))).toBe(true);
  });

  it("goes from version 1 to version 2 in steps, with the version that it initiates handshakes with", async () => {
    const both = complete(v1 + v2);
    const initiating = { ...both, pki: { ...(both.pki as object), initiating_version: 2 } };
    let current: ReturnType<typeof complete> = complete(v1);
    await start(current);
    for (const next of [both, initiating, complete(v2)]) {
      expect(chooseApplyMethod(version, current, next)).toBe("reload");
      expect(isAccepted(await reload(next))).toBe(true);
      current = next;
    }
  });

  it("keeps its curve", async () => {
    const other = createNetwork("P256");
    const pair = createNebulaKeys("P256");
    writeFileSync(join(folder, "p256.key"), pair.privateKey, { mode: 0o600 });
    const [previous, next] = [complete(v1), complete(other.issue(pair.publicKey), "p256.key")];
    expect(chooseApplyMethod(version, previous, next)).toBe("restart");
    await start(previous);
    expect(isAccepted(await reload(next))).toBe(false);
  });
});
