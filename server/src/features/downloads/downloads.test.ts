import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, getDownloads } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../app/app.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createDownloadFiles } from "./download-files.ts";
import { parseFileName } from "./file-names.ts";
import { compareVersions } from "./versions.ts";

let server: TestServer;
let parent: string;
let directory: string;
let app: App;
let url: string;

beforeAll(async () => {
  server = await startTestServer({ environment: { APP_URL: "http://localhost:8080" } });
  parent = mkdtempSync(join(tmpdir(), "lightkeeper-downloads-"));
  directory = join(parent, "built");
  app = createApp(server.ctx, { strict: true, downloadsDirectory: directory });
  await app.http.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await app.http.close();
  await server.close();
  rmSync(parent, { recursive: true });
});
beforeEach(() => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
});

const list = (baseURL = url) => createClient({ baseURL, authorization: () => undefined })(getDownloads);
const build = (name: string, content: string | Buffer = name, day = "2026-03-01") => {
  const path = join(directory, name);
  writeFileSync(path, content);
  const at = new Date(`${day}T12:00:00Z`);
  utimesSync(path, at, at);
};
const get = (name: string, options?: Parameters<typeof rawRequest>[1]) =>
  rawRequest(`${url}/downloads/files/${name}`, options);
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const nothing = {
  dnclient: {},
  mobile: {},
  container: {},
  versionInfo: { dnclient: {}, latest: {} },
  checksums: {},
};

describe("the downloads", () => {
  it("are the builds by version and platform, visible to everyone", async () => {
    build("lightkeeper-agent-0.9.0-linux-amd64", "old", "2026-01-31");
    build("lightkeeper-agent-0.10.0-linux-amd64", "new", "2026-03-01");
    build("lightkeeper-agent-0.10.0-linux-arm64", "new", "2026-03-02");
    build("lightkeeper-agent-0.10.0.mjs", "new", "2026-03-01");
    const file = (name: string) => `http://localhost:8080/downloads/files/lightkeeper-agent-${name}`;
    const newest = {
      "linux-amd64": file("0.10.0-linux-amd64"),
      "linux-arm64": file("0.10.0-linux-arm64"),
      node: file("0.10.0.mjs"),
    };
    expect(await list()).toEqual({
      ...nothing,
      dnclient: {
        latest: newest,
        "0.10.0": newest,
        "0.9.0": { "linux-amd64": file("0.9.0-linux-amd64") },
      },
      versionInfo: {
        dnclient: {
          "0.10.0": { latest: true, releaseDate: "2026-03-02" },
          "0.9.0": { latest: false, releaseDate: "2026-01-31" },
        },
        latest: { dnclient: "0.10.0" },
      },
      checksums: {
        [newest["linux-amd64"]]: sha256("new"),
        [newest["linux-arm64"]]: sha256("new"),
        [newest.node]: sha256("new"),
        [file("0.9.0-linux-amd64")]: sha256("old"),
      },
    });
  });

  it("are empty without builds or without a directory", async () => {
    expect(await list()).toEqual(nothing);
    rmSync(directory, { recursive: true });
    expect(await list()).toEqual(nothing);
    expect(await list(server.url)).toEqual(nothing);
  });

  it("show that the executables are being built or why they could not be, and nothing once they are built", async () => {
    const record = (state: object | string) =>
      build("executables.json", typeof state === "string" ? state : JSON.stringify(state));
    const now = new Date();
    record({ state: "building" });
    utimesSync(join(directory, "executables.json"), now, now);
    expect(await list()).toEqual({ ...nothing, build: { state: "building" } });
    record({ state: "failed", reason: `Can't "download"\u001b\nat line 7${"x".repeat(1000)}` });
    const { build: failed } = await list();
    expect(failed).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^Can't 'download'/) as string,
    });
    for (const character of ['"', "\u001b", "\n"]) expect(failed?.reason).not.toContain(character);
    for (const state of [{ state: "built", hash: "a" }, { state: "odd" }, "{", ""]) {
      record(state);
      expect(await list()).toEqual(nothing);
    }
  });

  it("don't show a build that was interrupted long ago", async () => {
    build("executables.json", JSON.stringify({ state: "building" }));
    expect(await list()).toEqual(nothing);
  });

  it("include no other files of the directory", async () => {
    for (const name of [
      "secret.key",
      "lightkeeper-agent",
      "lightkeeper-agent-1.0.0",
      "lightkeeper-agent-1.0-linux-amd64",
      "lightkeeper-agent-1.0.0-plan9-amd64",
      "lightkeeper-agent-1.0.0-linux-amd64.tmp",
    ])
      build(name);
    build("lightkeeper-agent-1.0.0-linux-arm64", "");
    mkdirSync(join(directory, "lightkeeper-agent-1.0.0-linux-386"));
    writeFileSync(join(parent, "outside"), "outside");
    symlinkSync(join(parent, "outside"), join(directory, "lightkeeper-agent-1.0.0-linux-amd64"));
    expect(await list()).toEqual(nothing);
    expect((await get("lightkeeper-agent-1.0.0-linux-amd64")).status).toBe(404);
    expect((await get("secret.key")).status).toBe(404);
  });

  it("have working URLs, whatever the version is called", async () => {
    build("lightkeeper-agent-1.0.0-rc.1+0a1b2c.mjs", "the bundle");
    const { dnclient } = await list();
    const address = dnclient.latest?.node?.replace("http://localhost:8080", url) ?? "";
    expect((await rawRequest(address)).body.toString()).toBe("the bundle");
  });
});

describe("a file", () => {
  const name = "lightkeeper-agent-0.10.0-linux-amd64";
  const content = randomBytes(3_000_000);
  const digest = sha256(content);
  beforeEach(() => build(name, content));

  it("is sent completely, with its length, as immutable", async () => {
    const { status, headers, body } = await get(name);
    expect(status).toBe(200);
    expect(body.equals(content)).toBe(true);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(content.length),
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${digest}"`,
      "x-content-type-options": "nosniff",
    });
  });

  it("is not sent again for a known entity tag", async () => {
    const { status, body } = await get(name, { headers: { "if-none-match": `"${digest}"` } });
    expect([status, body.length]).toEqual([304, 0]);
    expect((await get(name, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("reports its length for a HEAD request", async () => {
    const { status, headers, body } = await get(name, { method: "HEAD" });
    expect([status, headers["content-length"], body.length]).toEqual([200, String(content.length), 0]);
  });

  it("has its digest at another URL, in lower case", async () => {
    const { status, headers, body } = await get(`${name}.sha256`);
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(body.toString()).toBe(digest);
  });

  it("gets another digest only when it changes", async () => {
    const files = createDownloadFiles(directory);
    const [first] = await files.list();
    expect(await files.digest(first!)).toBe(digest);
    const at = first!.modifiedAt;
    writeFileSync(first!.path, Buffer.alloc(content.length));
    utimesSync(first!.path, at, at);
    expect(await files.digest((await files.list())[0]!)).toBe(digest);
    build(name, "rebuilt");
    const rebuilt = sha256("rebuilt");
    expect(await files.digest((await files.list())[0]!)).toBe(rebuilt);
    expect((await get(`${name}.sha256`)).body.toString()).toBe(rebuilt);
  });

  it("that could not be read is read again next time", async () => {
    const files = createDownloadFiles(directory);
    const [file] = await files.list();
    rmSync(file!.path);
    await expect(files.digest(file!)).rejects.toThrow("ENOENT");
    build(name, content);
    expect(await files.digest(file!)).toBe(digest);
  });

  it.each([
    "lightkeeper-agent-0.11.0-linux-amd64",
    "lightkeeper-agent-0.11.0-linux-amd64.sha256",
    ".sha256",
    "..%2Foutside",
    "%2Fetc%2Fpasswd",
    "..%2F..%2F..%2Fetc%2Fpasswd",
    `..%2Fbuilt%2F${name}`,
    `${name}%00`,
  ])("named %s is not found", async (other) => {
    writeFileSync(join(parent, "outside"), "outside");
    const { status, headers, body } = await get(other);
    expect(status).toBe(404);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(body.toString())).toEqual({
      errors: [{ code: "ERR_NOT_FOUND", message: "not found" }],
    });
  });
});

describe("a file's name", () => {
  it.each([
    ["lightkeeper-agent-1.2.3-linux-amd64", "1.2.3", "linux-amd64"],
    ["lightkeeper-agent-1.2.3-linux-mips-softfloat", "1.2.3", "linux-mips-softfloat"],
    ["lightkeeper-agent-1.2.3-rc.1-linux-mips", "1.2.3-rc.1", "linux-mips"],
    ["lightkeeper-agent-1.2.3-macos-universal-server-dmg", "1.2.3", "macos-universal-server-dmg"],
    ["lightkeeper-agent-1.2.3+0a1b.mjs", "1.2.3+0a1b", "node"],
    ["lightkeeper-agent-1.2.3-rc.1.mjs", "1.2.3-rc.1", "node"],
  ])("%s has the version %s and the platform %s", (name, version, platform) => {
    expect(parseFileName(name)).toEqual({ name, version, platform });
  });
});

describe("versions", () => {
  it("are ordered as semantic versions", () => {
    const ordered = [
      "0.9.0",
      "0.10.0",
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0-rc.1-2",
      "1.0.0",
      "1.0.1",
      "2.0.0",
    ];
    for (const [index, version] of ordered.entries())
      for (const [otherIndex, other] of ordered.entries())
        expect([version, other, Math.sign(compareVersions(version, other))]).toEqual([
          version,
          other,
          Math.sign(index - otherIndex),
        ]);
  });

  it("ignore build metadata", () => {
    expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
  });
});
