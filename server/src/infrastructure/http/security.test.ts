import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRODUCTION } from "../../testing/production.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

const alpha = { ...PRODUCTION, APP_ENV: "alpha" };

const directory = mkdtempSync(join(tmpdir(), "lightkeeper-console-"));
mkdirSync(join(directory, "assets"));
writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
writeFileSync(join(directory, "assets/app.js"), "1");

let local: TestServer;
let apart: TestServer;
beforeAll(async () => {
  local = await startTestServer({ consoleDirectory: directory });
  const environment = {
    ...alpha,
    API_URL: "https://api.example.com",
    WEB_SENTRY_DSN: "https://key@sentry.example.com/1",
  };
  apart = await startTestServer({ environment, consoleDirectory: directory });
});
afterAll(async () => {
  await apart.close();
  await local.close();
  rmSync(directory, { recursive: true });
});

const answers = [
  ["the API", "GET", "/v2/whoami"],
  ["a probe", "GET", "/healthz"],
  ["the version", "GET", "/v"],
  ["the console's page", "GET", "/settings/networks"],
  ["an asset", "GET", "/assets/app.js"],
  ["a missing asset", "GET", "/assets/gone.js"],
  ["the OpenAPI document", "GET", "/openapi.json"],
  ["an unknown call", "GET", "/v1/nothing"],
  ["a wrong method", "PATCH", "/v1/networks"],
  ["a bad body", "POST", "/v1/signup"],
] as const;

describe.each(answers)("the response to %s", (_what, method, path) => {
  it("has the security headers", async () => {
    const { headers } = await rawRequest(`${local.url}${path}`, { method });
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    const policy = headers["content-security-policy"] as string;
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "connect-src 'self'",
    ])
      expect(policy.split("; ")).toContain(part);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|http:/);
  });

  it("requires https for a year except on a local server", async () => {
    const { headers: here } = await rawRequest(`${local.url}${path}`, { method });
    expect(here).not.toHaveProperty("strict-transport-security");
    const { headers: there } = await rawRequest(`${apart.url}${path}`, { method });
    expect(there["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains");
  });
});

it("allows the console to connect to its API and to Sentry on other origins", async () => {
  const { headers } = await rawRequest(`${apart.url}/`);
  expect(headers["content-security-policy"]).toContain(
    "connect-src 'self' https://api.example.com https://sentry.example.com;",
  );
});

describe("another origin", () => {
  const origin = "https://console.example.com";
  const preflight = {
    "access-control-request-method": "PUT",
    "access-control-request-headers": "authorization",
  };
  const corsHeaders = (headers: object) =>
    Object.keys(headers).filter((name) => name.startsWith("access-control-"));

  it("may call the API if it is the console's origin, and the API has a different origin [S7.27]", async () => {
    const preflightResponse = await rawRequest(`${apart.url}/v1/networks`, {
      method: "OPTIONS",
      headers: { origin, ...preflight },
    });
    expect(preflightResponse.status).toBe(204);
    expect(preflightResponse.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, POST, PUT, DELETE",
      "access-control-allow-headers": "authorization, content-type, x-request-id",
      vary: "origin",
    });
    const called = await rawRequest(`${apart.url}/v2/whoami`, { headers: { origin } });
    expect(called.status).toBe(401);
    expect(called.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "x-request-id, retry-after, x-total-count",
    });
    expect(called.headers).not.toHaveProperty("access-control-allow-credentials");
  });

  it.each([
    ["https://evil.example.com"],
    ["https://console.example.com.evil.com"],
    ["null"],
    ["http://console.example.com"],
  ])("may not call the API if it is %s", async (otherOrigin) => {
    for (const method of ["OPTIONS", "GET"]) {
      const headers = { origin: otherOrigin, ...preflight };
      const answer = await rawRequest(`${apart.url}/v1/networks`, { method, headers });
      expect(corsHeaders(answer.headers)).toEqual([]);
      expect(answer.status).not.toBe(204);
    }
  });

  it("may never call the API if console and API share an origin", async () => {
    for (const otherOrigin of [origin, "http://localhost:8080"]) {
      const headers = { origin: otherOrigin, ...preflight };
      const answer = await rawRequest(`${local.url}/v1/networks`, { method: "OPTIONS", headers });
      expect(corsHeaders(answer.headers)).toEqual([]);
    }
  });
});
