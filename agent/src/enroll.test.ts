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
  it("sends four public keys and its user agent, but neither Content-Type nor Accept", async () => {
    await enroll(options());
    const [{ value, headers } = { value: null, headers: {} }] = server.receivedOf("Enroll");
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

  it("stores the key pair of the network's curve and the server's reply", async () => {
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

  it("ignores a path in the server's address", async () => {
    await enroll(options({ server: `${server.url}/some/prefix` }));
    expect(server.receivedOf("Enroll")).toHaveLength(1);
  });

  it("replaces an enrollment only with --force", async () => {
    await enroll(options());
    server.codes.add("CODE");
    await expect(enroll(options())).rejects.toThrow("already enrolled as web-1 (100.100.0.2) in Network1");
    expect(server.receivedOf("Enroll")).toHaveLength(1);
    await enroll(options({ isForced: true }));
    expect(server.receivedOf("Enroll")).toHaveLength(2);
  });

  it("replaces a damaged state with --force", async () => {
    directory.prepare();
    writeFileSync(directory.path("state.json"), "{");
    await expect(enroll(options())).rejects.toThrow("damaged");
    await enroll(options({ isForced: true }));
    expect(directory.load().counter).toBe(1);
  });
});

describe("an enrollment that fails", () => {
  it.each([
    ["an unknown code", { code: "WRONG" }, "Invalid enrollment code"],
    ["a missing nebula", { nebula: "/no/nebula" }, "Can't run /no/nebula: file not found"],
  ])("because of %s reports the reason", async (_, changes, message) => {
    await expect(enroll(options(changes))).rejects.toThrow(message);
    expect(directory.peek()).toBeUndefined();
  });

  it("doesn't use the code if nebula is missing", async () => {
    await expect(enroll(options({ nebula: "/no/nebula" }))).rejects.toThrow();
    await enroll(options());
    expect(directory.peek()).toBeDefined();
  });

  it("reports that the host is blocked", async () => {
    server.isBlocked = true;
    await expect(enroll(options())).rejects.toThrow("This host is blocked. Unblock it in the console");
  });

  it("reports that the code may have been used if the reply is lost", async () => {
    server.failNext("Enroll", "lose the reply");
    const error: unknown = await enroll(options()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        "The code may have been used. Generate a new code in the console and enroll again.",
      ),
      requestID: server.receivedOf("Enroll")[0]?.headers["x-request-id"],
    });
    await expect(enroll(options())).rejects.toThrow("Invalid enrollment code");
  });

  it("reports that the code is still valid if the server wasn't reached", async () => {
    const listener = createServer().listen(0);
    const { port } = listener.address() as AddressInfo;
    await new Promise((resolve) => listener.close(resolve));
    await expect(enroll(options({ server: `http://127.0.0.1:${port}` }))).rejects.toThrow(
      "Nothing was sent, so the code is still valid.",
    );
  });

  it("rejects invalid trusted keys", async () => {
    server.failNext("Enroll", "broken trusted keys");
    await expect(enroll(options())).rejects.toThrow("invalid trusted keys");
    expect(directory.peek()).toBeUndefined();
  });
});
