import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { enroll } from "./enroll.ts";
import { StateDirectory } from "./state.ts";
import { createFakeNebula } from "./testing/fake-nebula.ts";
import { ServerDouble } from "./testing/server-double.ts";

let root: string;
let server: ServerDouble;
let directory: StateDirectory;
let nebula: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "lk-enroll-"));
  directory = new StateDirectory(join(root, "state"));
  nebula = createFakeNebula(root).path;
  server = await new ServerDouble().start();
  server.codes.add("CODE");
});
afterEach(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

const options = (changes = {}) => ({
  directory,
  server: server.url,
  code: "CODE",
  nebula,
  isForced: false,
  ...changes,
});

describe("enrolling", () => {
  it("sends four public keys, who it is, and neither Content-Type nor Accept", async () => {
    await enroll(options());
    const [{ value, headers } = { value: null, headers: {} }] = server.of("Enroll");
    expect(value).toEqual({
      code: "CODE",
      dhPubkey: expect.any(String),
      edPubkey: expect.any(String),
      nebulaPubkeyP256: expect.any(String),
      hostPubkeyP256: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(JSON.stringify(value)).not.toContain("PRIVATE");
    expect(headers["user-agent"]).toMatch(/^lightkeeper-agent\/\S+ \(\w+; \w+\) nebula\/1\.9\.3$/);
    expect(headers).not.toHaveProperty("content-type");
    expect(headers).not.toHaveProperty("accept");
  });

  it("keeps the pair of the network's curve and what the server said", async () => {
    const state = await enroll(options());
    expect(directory.peek()).toEqual(state);
    expect(state).toMatchObject({
      counter: 1,
      host: { name: "web-1" },
      network: { name: "Network1" },
      hostKey: expect.stringContaining("DEFINED HOST ED25519 PRIVATE KEY"),
      intended: { config: server.config, nebulaKey: expect.stringContaining("NEBULA X25519 PRIVATE KEY") },
      lastGood: null,
    });
    expect(JSON.stringify(state)).not.toContain("P256");
  });

  it("drops a path in the server's address", async () => {
    await enroll(options({ server: `${server.url}/some/prefix` }));
    expect(server.of("Enroll")).toHaveLength(1);
  });

  it("does not give up an enrollment by accident", async () => {
    await enroll(options());
    server.codes.add("CODE");
    await expect(enroll(options())).rejects.toThrow("already enrolled as web-1 (100.100.0.2) in Network1");
    expect(server.of("Enroll")).toHaveLength(1);
    await enroll(options({ isForced: true }));
    expect(server.of("Enroll")).toHaveLength(2);
  });

  it("replaces a damaged state when told to", async () => {
    directory.prepare();
    writeFileSync(directory.path("state.json"), "{");
    await expect(enroll(options())).rejects.toThrow("damaged");
    await enroll(options({ isForced: true }));
    expect(directory.load().counter).toBe(1);
  });
});

describe("an enrollment that fails", () => {
  it.each([
    ["an unknown code", { code: "WRONG" }, "The server does not know this code"],
    ["a nebula that is not there", { nebula: "/no/nebula" }, "/no/nebula cannot be run: it is not there"],
  ])("for %s says so", async (_, changes, sentence) => {
    await expect(enroll(options(changes))).rejects.toThrow(sentence);
    expect(directory.peek()).toBeUndefined();
  });

  it("does not use up the code when nebula is missing", async () => {
    await expect(enroll(options({ nebula: "/no/nebula" }))).rejects.toThrow();
    await enroll(options());
    expect(directory.peek()).toBeDefined();
  });

  it("says that the host is blocked", async () => {
    server.isBlocked = true;
    await expect(enroll(options())).rejects.toThrow("This host is blocked. Unblock it in the console");
  });

  it("says that the code may be used up when the answer is lost", async () => {
    server.misbehave("Enroll", "lose the reply");
    await expect(enroll(options())).rejects.toThrow(
      "The code works once and may be used up: get a new one in the console and enroll again.",
    );
    await expect(enroll(options())).rejects.toThrow("The server does not know this code");
  });

  it("says that the code is still good when nobody was reached", async () => {
    const listener = createServer().listen(0);
    const { port } = listener.address() as AddressInfo;
    await new Promise((resolve) => listener.close(resolve));
    await expect(enroll(options({ server: `http://127.0.0.1:${port}` }))).rejects.toThrow(
      "Nothing was sent, so the code is still good.",
    );
  });

  it("takes no keys to trust that cannot be read", async () => {
    server.misbehave("Enroll", "broken trusted keys");
    await expect(enroll(options())).rejects.toThrow("keys to trust cannot be read");
    expect(directory.peek()).toBeUndefined();
  });
});
