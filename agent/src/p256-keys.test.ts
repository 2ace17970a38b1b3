/** Checks that the real nebula and nebula-cert accept keys of curve P256. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nebulaCapabilities } from "@lightkeeper/nebula";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { NebulaBinaries } from "../../scripts/nebula-versions.d.mts";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { completeConfig, writeConfig } from "./config.ts";
import { createNebulaKeys } from "./keys.ts";
import { LIGHTHOUSE, NebulaPair } from "./testing/nebula-pair.ts";
import { ADDRESS, configFor, createNetwork } from "./testing/test-network.ts";

// These tests start processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const binaries = (await nebulaBinaries()).filter(({ version }) => nebulaCapabilities(version).curveP256);

describe.each(binaries)("nebula $version", ({ version, nebula, nebulaCert }: NebulaBinaries) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lk-p256-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("opens a tunnel with P256 keys of the agent", async () => {
    const network = createNetwork("P256");
    const pair = await NebulaPair.start({ version, nebula }, network);
    try {
      expect(await pair.waitForTunnel()).toMatchObject([{ vpnIp: LIGHTHOUSE }]);
    } finally {
      await pair.remove();
    }
  });

  it("accepts the agent's private key with a certificate that nebula-cert has signed", () => {
    const keys = createNebulaKeys("P256");
    const path = (name: string) => join(folder, name);
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { cwd: folder, stdio: "pipe", encoding: "utf8" });
    const sign = ["sign", "-name", "web-1", "-ip", `${ADDRESS}/22`, "-in-pub", "host.pub"];
    writeFileSync(path("host.pub"), keys.publicKey);
    writeFileSync(path("host.key"), keys.privateKey, { mode: 0o600 });
    run(nebulaCert, "ca", "-name", "test", "-curve", "P256", "-out-crt", "ca.crt", "-out-key", "ca.key");
    run(nebulaCert, ...sign, "-ca-crt", "ca.crt", "-ca-key", "ca.key", "-out-crt", "host.crt");
    const [ca, certificate] = ["ca.crt", "host.crt"].map((name) => readFileSync(path(name), "utf8"));
    const base = configFor(createNetwork("P256"), undefined, { nebulaVersion: version });
    const setup = { config: base, certificate: certificate ?? "", nebulaKey: keys.privateKey };
    const test = (keyFile: string) => {
      const config = completeConfig(setup, path(keyFile));
      const pki = { ...(config.pki as object), ca };
      writeFileSync(path("nebula.yml"), writeConfig({ ...config, pki }));
      return run(nebula, "-test", "-config", path("nebula.yml"));
    };
    expect(() => test("host.key")).not.toThrow();
    writeFileSync(path("other.key"), createNebulaKeys("P256").privateKey, { mode: 0o600 });
    expect(() => test("other.key")).toThrow(
      expect.objectContaining({ stdout: expect.stringContaining("not a pair with public key") }),
    );
  });
});
