import { connect } from "node:net";
import { createNetwork, listNetworks, signup } from "@lightkeeper/contract";
import { describe, expect, it, vi } from "vitest";
import { createProxiedDatabase } from "../../testing/proxied-database.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { requestErrorOf } from "../../testing/request-errors.ts";
import { startTestServer } from "../../testing/server.ts";

const statusOf = async (url: string) => (await rawRequest(url)).status;

describe("an unavailable database", () => {
  it("is reported, and the server continues without a restart when it is back", async () => {
    const database = await createProxiedDatabase();
    const server = await startTestServer({ database });
    try {
      const session = await server.signUp();
      await session.call(createNetwork, { body: { name: "Before" } });
      expect(await statusOf(`${server.url}/readyz`)).toBe(200);

      await database.disconnect();
      for (const call of [
        () => session.call(listNetworks),
        () => session.call(createNetwork, { body: { name: "During" } }),
        () => server.client()(signup, { body: { email: "during@example.com" } }),
      ]) {
        const rejected = await requestErrorOf(call());
        expect(rejected.response.status).toBe(503);
        expect(rejected.errors).toEqual([{ code: "ERR_UNAVAILABLE", message: "temporarily unavailable" }]);
        expect(rejected.requestID).toMatch(/^req-/);
      }
      const ready = await rawRequest(`${server.url}/readyz`);
      expect(ready.status).toBe(503);
      expect(JSON.parse(ready.body.toString())).toEqual({
        errors: [{ code: "ERR_UNAVAILABLE", message: "the database is not responding" }],
      });
      expect(await statusOf(`${server.url}/healthz`)).toBe(200);

      await database.restore();
      expect(await statusOf(`${server.url}/readyz`)).toBe(200);
      await session.call(createNetwork, { body: { name: "After" } });
      expect((await session.call(listNetworks)).data.map(({ name }) => name)).toEqual(["Before", "After"]);
    } finally {
      await server.close();
      await database.drop();
    }
  });

  it("quickly fails the readiness check when it does not respond", async () => {
    const database = await createProxiedDatabase();
    const server = await startTestServer({ database });
    try {
      await database.hang();
      const begunAt = performance.now();
      expect(await statusOf(`${server.url}/readyz`)).toBe(503);
      expect(performance.now() - begunAt).toBeLessThan(6000);
      await database.restore();
      await vi.waitFor(async () => expect(await statusOf(`${server.url}/readyz`)).toBe(200));
    } finally {
      await server.close();
      await database.drop();
    }
  });
});

describe("the metrics at /metrics", () => {
  it("are available only from this machine, by address and host name", async () => {
    const server = await startTestServer();
    try {
      await rawRequest(`${server.url}/v1/networks/network-secret?cursor=token`);
      const { status, body } = await rawRequest(`${server.url}/metrics`);
      expect(status).toBe(200);
      const text = body.toString();
      for (const name of [
        "request_duration_seconds_bucket",
        "database_connections",
        "event_streams",
        "waiting_hosts",
      ])
        expect(text).toContain(`lightkeeper_${name}`);
      expect(text).toContain('route="/v1/networks/:networkID",status="401"');
      expect(text).not.toMatch(/network-secret|cursor/);
      const remoteResponse = await rawRequest(`${server.url}/metrics`, {
        headers: { host: "console.example.com" },
      });
      expect(remoteResponse.status).toBe(404);
    } finally {
      await server.close();
    }
  });

  it("require the token if it is configured", async () => {
    const server = await startTestServer({ environment: { METRICS_TOKEN: "sesame" } });
    try {
      const statusWith = async (headers: Record<string, string>) =>
        (await rawRequest(`${server.url}/metrics`, { headers })).status;
      expect(await statusWith({})).toBe(404);
      expect(await statusWith({ authorization: "Bearer other" })).toBe(404);
      expect(await statusWith({ authorization: "Bearer sesame", host: "console.example.com" })).toBe(200);
    } finally {
      await server.close();
    }
  });

  it("are not available through a proxy", async () => {
    const server = await startTestServer({ environment: { TRUST_PROXY: "1" } });
    try {
      const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-host": "localhost" };
      expect((await rawRequest(`${server.url}/metrics`, { headers })).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});

it("an unused connection does not delay the shutdown", async () => {
  const server = await startTestServer();
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  await rawRequest(`${server.url}/healthz`);
  const begunAt = performance.now();
  await server.close();
  expect(performance.now() - begunAt).toBeLessThan(5000);
});
