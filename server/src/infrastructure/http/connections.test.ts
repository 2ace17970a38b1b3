import { type AddressInfo, connect } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { rawBytes } from "../../testing/raw-request.ts";
import { limitRequests } from "./connections.ts";

let app: FastifyInstance;
afterEach(() => app.close());

async function listening(): Promise<string> {
  app = Fastify({ forceCloseConnections: true });
  limitRequests(app, readConfig({}), 300);
  app.post("/quick", async () => "done");
  app.post("/slow", { config: { takesTime: true } }, async () => "done");
  await app.listen({ port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const incompleteRequest = (path: string) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 9999\r\n\r\nhalf`;

it("ends an incomplete request after a timeout, with a response", async () => {
  const answer = await rawBytes(await listening(), incompleteRequest("/quick"));
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"ERR_TIMEOUT"');
});

it("allows more time on routes marked takesTime", async () => {
  const url = await listening();
  const answered = rawBytes(url, incompleteRequest("/slow")).then((answer) => answer.length > 0);
  const waited = new Promise<string>((resolve) => setTimeout(() => resolve("still going"), 900));
  expect(await Promise.race([answered, waited])).toBe("still going");
});

it("closes the connection of a client that keeps sending after the response", async () => {
  const { hostname: host, port } = new URL(await listening());
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.write(incompleteRequest("/quick"));
  const sending = setInterval(() => socket.write("."), 50);
  socket.on("error", () => undefined).resume();
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(sending);
  expect(socket.destroyed).toBe(true);
});
