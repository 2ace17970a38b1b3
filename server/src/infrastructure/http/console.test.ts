import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../../testing/raw-request.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

const directory = mkdtempSync(join(tmpdir(), "lightkeeper-console-"));
mkdirSync(join(directory, "assets"));
const files = {
  "index.html": '<!doctype html><meta name="lightkeeper-config" content=""><div id="root"></div>',
  "icon.svg": "<svg/>",
  "secret.key": "not for the world",
  "assets/app-1a2b.js": "plain",
  "assets/app-1a2b.js.br": "brotli",
  "assets/app-1a2b.js.gz": "gzip",
  "assets/small-3c4d.css": "css",
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);

let server: TestServer;
beforeAll(async () => {
  const environment = { SUPPORT_EMAIL: `"<script>alert('$&')</script>"@example.com` };
  server = await startTestServer({ environment, consoleDirectory: directory });
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  rawRequest(`${server.url}${path}`, { headers });

describe("an asset", () => {
  it.each([
    ["br, gzip, deflate", "br", "brotli"],
    ["gzip, deflate, br", "br", "brotli"],
    ["gzip", "gzip", "gzip"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["gzip;q=0.0, br;q=0", undefined, "plain"],
    ["identity", undefined, "plain"],
    ["", undefined, "plain"],
  ])("is sent to a client that accepts %j as %s", async (accepted, encoding, body) => {
    const answer = await get("/assets/app-1a2b.js", { "accept-encoding": accepted });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.body.toString()).toBe(body);
    expect(answer.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
  });

  it("that was not compressed is sent unchanged", async () => {
    const answer = await get("/assets/small-3c4d.css", { "accept-encoding": "br" });
    expect(answer.headers).not.toHaveProperty("content-encoding");
    expect(answer.body.toString()).toBe("css");
  });

  it("is not sent again for a known entity tag", async () => {
    const { headers } = await get("/assets/app-1a2b.js");
    const again = await get("/assets/app-1a2b.js", { "if-none-match": headers.etag ?? "" });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it("without a hash in its name is revalidated", async () => {
    const answer = await get("/icon.svg");
    expect(answer.headers).toMatchObject({ "content-type": "image/svg+xml", "cache-control": "no-cache" });
  });

  it("that is missing returns 404, not the page", async () => {
    const answer = await get("/assets/app-gone.js");
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body.toString())).toEqual({
      errors: [{ code: "ERR_NOT_FOUND", message: "not found" }],
    });
  });

  it.each([
    ["/assets/../secret.key"],
    ["/secret.key"],
    ["/assets/%2e%2e/secret.key"],
    ["/assets/app-1a2b.js.br"],
  ])("is the only kind of file that is served: %s", async (path) => {
    const { body } = await rawRequest(`${server.url}/`, {}).then(() => get(path));
    expect(body.toString()).not.toMatch(/not for the world|^brotli$/);
  });
});

describe("the page", () => {
  it.each([
    ["/"],
    ["/index.html"],
    ["/settings/networks"],
    ["/auth/magic-link?magicLinkToken=x"],
    ["/nothing/here"],
    ["/v1x"],
  ])("is sent for %s, and is never cached [S2.23]", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(answer.body.toString()).toContain('<div id="root"></div>');
  });

  it("passes the settings to the console as escaped data", async () => {
    const page = (await get("/")).body.toString();
    const content = /<meta name="lightkeeper-config" content="([^"]*)">/.exec(page)?.[1] ?? "";
    expect(page).not.toContain("<script>");
    const entities: Record<string, string> = {
      "&amp;": "&",
      "&lt;": "<",
      "&gt;": ">",
      "&quot;": '"',
      "&#39;": "'",
    };
    const settings: unknown = JSON.parse(content.replace(/&[^;]+;/g, (entity) => entities[entity] ?? entity));
    expect(settings).toEqual({
      environment: "local",
      apiURL: "http://localhost:8080",
      supportEmail: `"<script>alert('$&')</script>"@example.com`,
      marketingURL: "https://lightkeeper.example",
      docsURL: "/docs/",
      hasPlans: false,
      version: "test",
    });
  });

  it("is sent only for GET and HEAD", async () => {
    expect((await rawRequest(`${server.url}/hosts`, { method: "POST" })).status).toBe(404);
    const head = await rawRequest(`${server.url}/hosts`, { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });
});

it("the server returns its version as text, without a session, never cached [S7.22] [S4.16]", async () => {
  const answer = await get("/v");
  expect(answer.body.toString()).toBe("test");
  expect(answer.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
  });
});

it("serves only the API without a console build", async () => {
  const bare = await startTestServer({ consoleDirectory: join(directory, "nowhere") });
  try {
    expect((await rawRequest(`${bare.url}/`)).status).toBe(404);
    expect((await rawRequest(`${bare.url}/healthz`)).status).toBe(200);
  } finally {
    await bare.close();
  }
});
