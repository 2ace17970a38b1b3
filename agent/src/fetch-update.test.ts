import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { curves } from "@lightkeeper/nebula";
import type { Curve } from "@lightkeeper/nebula";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { enroll } from "./enroll.ts";
import { readHostCertificates } from "./host-certificates.ts";
import { CredentialsRejected, Server } from "./server.ts";
import type { State } from "./state.ts";
import { StateDirectory } from "./state.ts";
import { fetchUpdate } from "./fetch-update.ts";
import { createFakeNebula } from "./testing/fake-nebula.ts";
import type { FailureMode } from "./testing/server-double.ts";
import { ServerDouble } from "./testing/server-double.ts";

let root: string;
let double: ServerDouble;
let state: State;
let server: Server;
const { signal } = new AbortController();

async function enrollWith(curve: Curve): Promise<void> {
  root = mkdtempSync(join(tmpdir(), "lk-update-"));
  double = await new ServerDouble(curve).start();
  double.codes.add("CODE");
  const directory = new StateDirectory(join(root, "state"));
  const nebula = createFakeNebula(root).path;
  state = await enroll({ directory, server: double.url, code: "CODE", nebula, isForced: false });
  server = new Server(double.url, "test");
}
afterEach(async () => {
  await double.stop();
  rmSync(root, { recursive: true });
});

const KEYS = {
  "25519": { host: "edPubkeyPEM", nebula: "dhPubkeyPEM" },
  P256: { host: "p256HostPubkeyPEM", nebula: "p256NebulaPubkeyPEM" },
} as const;
const BANNERS = {
  "25519": { host: "DEFINED HOST ED25519 PRIVATE KEY", nebula: "NEBULA X25519 PRIVATE KEY" },
  P256: { host: "DEFINED HOST P256 PRIVATE KEY", nebula: "NEBULA P256 PRIVATE KEY" },
} as const;

describe.each(curves)("with curve %s", (curve) => {
  const sent = KEYS[curve];
  const missing = KEYS[curve === "P256" ? "25519" : "P256"];
  beforeEach(() => enrollWith(curve));

  it("the enrollment stores the keys of the curve", () => {
    expect(state.network.curve).toBe(curve);
    expect(state.hostKey).toContain(BANNERS[curve].host);
    expect(state.intended.nebulaKey).toContain(BANNERS[curve].nebula);
  });

  it("an update with a certificate creates new keys of both kinds and gets the next counter", async () => {
    const next = await fetchUpdate("DoUpdate", state, server, signal);
    expect(next.counter).toBe(2);
    expect(next.hostKey).toContain(BANNERS[curve].host);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended.nebulaKey).toContain(BANNERS[curve].nebula);
    expect(next.intended.nebulaKey).not.toBe(state.intended.nebulaKey);
    expect(readHostCertificates(next.intended.certificate)).toMatchObject([{ version: 1, curve }]);
    expect(next.intended.certificate).not.toBe(state.intended.certificate);
    expect(next.intended.config).toBe(double.config);
    expect(double.receivedOf("DoUpdate")[0]?.value).toMatchObject({
      [sent.host]: expect.any(String),
      [sent.nebula]: expect.any(String),
      [missing.host]: null,
      [missing.nebula]: null,
    });
  });

  it("an update of the configuration keeps certificate and tunnel key, and changes the signing key", async () => {
    const next = await fetchUpdate("DoConfigUpdate", state, server, signal);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended).toEqual({ ...state.intended, config: double.config });
    const value = double.receivedOf("DoConfigUpdate")[0]?.value;
    expect(value).toMatchObject({ [sent.host]: expect.any(String), [missing.host]: null });
    expect(value).not.toHaveProperty(sent.nebula);
  });

  describe.each(["DoUpdate", "DoConfigUpdate"] as const)("%s", (kind) => {
    it.each<[FailureMode, string]>([
      ["foreign signature", "not signed by a trusted key"],
      ["wrong nonce", "wrong request ID"],
      ["same counter", "older than the current configuration"],
      ["broken trusted keys", "invalid trusted keys"],
      ["500 without errors", "The server returned status 500."],
      ["lose the reply", "Can't reach http"],
    ])("rejects a bad reply: %s", async (failure, message) => {
      double.failNext(kind, failure);
      await expect(fetchUpdate(kind, state, server, signal)).rejects.toThrow(message);
    });

    it("works again with the old key after the reply was lost", async () => {
      double.failNext(kind, "lose the reply");
      await expect(fetchUpdate(kind, state, server, signal)).rejects.toThrow();
      const next = await fetchUpdate(kind, state, server, signal);
      expect(next.counter).toBe(2);
      await expect(server.call(next, "CheckForUpdate", undefined)).resolves.toEqual({});
      await expect(server.call(state, "CheckForUpdate", undefined)).rejects.toThrow(CredentialsRejected);
    });
  });
});

describe("requests", () => {
  beforeEach(() => enrollWith("25519"));

  it("never have the same signature", async () => {
    await Promise.all(Array.from({ length: 20 }, () => server.call(state, "CheckForUpdate", undefined)));
    expect(double.receivedOf("CheckForUpdate")).toHaveLength(20);
  });

  it.each([-7_200_000, 7_200_000])("use the server's time when its clock is %d ms off", async (clockMs) => {
    expect(server.clockOffsetSeconds()).toBe(0);
    double.clockMs = clockMs;
    await server.call(state, "CheckForUpdate", undefined);
    expect(server.clockOffsetSeconds()).toBeCloseTo(clockMs / 1000, -1);
    double.clockMs = 0;
    await server.call(state, "CheckForUpdate", undefined);
    expect(server.clockOffsetSeconds()).toBe(0);
  });

  it("explain that the server no longer accepts the host", async () => {
    double.isBlocked = true;
    await expect(server.call(state, "CheckForUpdate", undefined)).rejects.toThrow(
      "blocked, deleted or enrolled again",
    );
  });
});
