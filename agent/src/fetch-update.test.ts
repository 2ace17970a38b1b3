import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { enroll } from "./enroll.ts";
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

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "lk-update-"));
  double = await new ServerDouble().start();
  double.codes.add("CODE");
  const directory = new StateDirectory(join(root, "state"));
  const nebula = createFakeNebula(root).path;
  state = await enroll({ directory, server: double.url, code: "CODE", nebula, isForced: false });
  server = new Server(double.url, "test");
});
afterEach(async () => {
  await double.stop();
  rmSync(root, { recursive: true });
});

describe("an update with a certificate", () => {
  it("creates new keys of both kinds and gets the next counter", async () => {
    const next = await fetchUpdate("DoUpdate", state, server, signal);
    expect(next.counter).toBe(2);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended.nebulaKey).not.toBe(state.intended.nebulaKey);
    expect(next.intended.certificate).not.toBe(state.intended.certificate);
    expect(next.intended.config).toBe(double.config);
    expect(double.receivedOf("DoUpdate")[0]?.value).toMatchObject({
      p256HostPubkeyPEM: null,
      p256NebulaPubkeyPEM: null,
    });
  });
});

describe("an update of the configuration", () => {
  it("keeps certificate and tunnel key, and changes the signing key", async () => {
    const next = await fetchUpdate("DoConfigUpdate", state, server, signal);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended).toEqual({ ...state.intended, config: double.config });
    expect(double.receivedOf("DoConfigUpdate")[0]?.value).not.toHaveProperty("dhPubkeyPEM");
  });
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

describe("requests", () => {
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
