import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { enroll } from "./enroll.ts";
import { CredentialsRefused, Server } from "./server.ts";
import type { State } from "./state.ts";
import { StateDirectory } from "./state.ts";
import { fetchUpdate } from "./sync.ts";
import { createFakeNebula } from "./testing/fake-nebula.ts";
import type { Fault } from "./testing/server-double.ts";
import { ServerDouble } from "./testing/server-double.ts";

let root: string;
let double: ServerDouble;
let state: State;
let server: Server;
const { signal } = new AbortController();

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "lk-sync-"));
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

describe("a new certificate", () => {
  it("comes with new keys of both kinds and the next counter", async () => {
    const next = await fetchUpdate("DoUpdate", state, server, signal);
    expect(next.counter).toBe(2);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended.nebulaKey).not.toBe(state.intended.nebulaKey);
    expect(next.intended.certificate).not.toBe(state.intended.certificate);
    expect(next.intended.config).toBe(double.config);
    expect(double.of("DoUpdate")[0]?.value).toMatchObject({
      p256HostPubkeyPEM: null,
      p256NebulaPubkeyPEM: null,
    });
  });
});

describe("a new configuration", () => {
  it("keeps certificate and tunnel key, and changes the signing key", async () => {
    const next = await fetchUpdate("DoConfigUpdate", state, server, signal);
    expect(next.hostKey).not.toBe(state.hostKey);
    expect(next.intended).toEqual({ ...state.intended, config: double.config });
    expect(double.of("DoConfigUpdate")[0]?.value).not.toHaveProperty("dhPubkeyPEM");
  });
});

describe.each(["DoUpdate", "DoConfigUpdate"] as const)("%s", (kind) => {
  it.each<[Fault, string]>([
    ["foreign signature", "not signed by a key this host trusts"],
    ["wrong nonce", "to another question than ours"],
    ["same counter", "older than what we have"],
    ["broken trusted keys", "keys to trust cannot be read"],
    ["500 without errors", "The server answered 500."],
    ["lose the reply", "did not answer"],
  ])("is not believed: %s", async (fault, sentence) => {
    double.misbehave(kind, fault);
    await expect(fetchUpdate(kind, state, server, signal)).rejects.toThrow(sentence);
  });

  it("works again under the old key after its answer was lost", async () => {
    double.misbehave(kind, "lose the reply");
    await expect(fetchUpdate(kind, state, server, signal)).rejects.toThrow();
    const next = await fetchUpdate(kind, state, server, signal);
    expect(next.counter).toBe(2);
    await expect(server.call(next, "CheckForUpdate", undefined)).resolves.toEqual({});
    await expect(server.call(state, "CheckForUpdate", undefined)).rejects.toThrow(CredentialsRefused);
  });
});

describe("a conversation", () => {
  it("never signs the same thing twice", async () => {
    await Promise.all(Array.from({ length: 20 }, () => server.call(state, "CheckForUpdate", undefined)));
    expect(double.of("CheckForUpdate")).toHaveLength(20);
  });

  it.each([-7_200_000, 7_200_000])("goes by the server's clock when that is %d ms off", async (clockMs) => {
    expect(server.clockOffsetSeconds()).toBe(0);
    double.clockMs = clockMs;
    await server.call(state, "CheckForUpdate", undefined);
    expect(server.clockOffsetSeconds()).toBeCloseTo(clockMs / 1000, -1);
    double.clockMs = 0;
    await server.call(state, "CheckForUpdate", undefined);
    expect(server.clockOffsetSeconds()).toBe(0);
  });

  it("puts a refusal into the server's words", async () => {
    double.isBlocked = true;
    await expect(server.call(state, "CheckForUpdate", undefined)).rejects.toThrow(
      "blocked, deleted or enrolled anew",
    );
  });
});
