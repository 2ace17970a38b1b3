import { gunzipSync } from "node:zlib";
import fastify, { type LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compressLargeResponses } from "./compression.ts";

const LARGE = { data: "a".repeat(600 * 1024) };
const SMALL = { data: "a".repeat(400 * 1024) };

const app = fastify();
beforeAll(() => {
  compressLargeResponses(app);
  app.get("/large", () => LARGE);
  app.get("/small", () => SMALL);
  app.get("/other-origin", (_request, reply) => reply.header("vary", "origin").send(LARGE));
});
afterAll(() => app.close());

const get = (url: string, accepted: string): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { "accept-encoding": accepted } });

it.each(["gzip", "br, gzip;q=0.5, deflate"])("a large response is compressed for %s", async (accepted) => {
  const { headers, rawPayload } = await get("/large", accepted);
  expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(Number(headers["content-length"])).toBe(rawPayload.length);
  expect(rawPayload.length).toBeLessThan(50_000);
  expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual(LARGE);
});

it.each(["", "br", "gzip;q=0, br"])("a large response isn't compressed for %s", async (accepted) => {
  const response = await get("/large", accepted);
  expect(response.headers["content-encoding"]).toBeUndefined();
  expect(response.headers.vary).toBe("accept-encoding");
  expect(response.json()).toEqual(LARGE);
});

it("a small response isn't compressed", async () => {
  const response = await get("/small", "gzip");
  expect(response.headers["content-encoding"]).toBeUndefined();
  expect(response.headers.vary).toBeUndefined();
  expect(response.json()).toEqual(SMALL);
});

it("what else the response depends on is kept", async () => {
  expect((await get("/other-origin", "gzip")).headers.vary).toBe("origin, accept-encoding");
});
