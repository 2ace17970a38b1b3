/** A round-robin load balancer for servers whose /readyz returns 200. Failed requests aren't retried. */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { repeat } from "./repeat.ts";

const CHECK_EVERY_MS = 200;
/** As in deploy/high-availability/haproxy.cfg. */
const CHECK_MS_MAX = 4000;
/** Shorter than the servers keep an idle connection open: a request on one that they are closing would fail. */
const IDLE_MS_MAX = 10_000;

export interface LoadBalancer {
  url: string;
  stop: () => void;
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_MS_MAX) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

/** With a length, because the client of the simulated agents requires one. */
function sendBadGateway(response: ServerResponse, text: string): void {
  response.writeHead(502, { "content-length": Buffer.byteLength(text) }).end(text);
}

export async function startLoadBalancer(servers: readonly string[]): Promise<LoadBalancer> {
  const connections = new Agent({ keepAlive: true, timeout: IDLE_MS_MAX });
  const ready = new Set(servers);
  let next = 0;

  const check = async (url: string) => {
    if (await isReady(url)) ready.add(url);
    else ready.delete(url);
  };
  const stopped = new AbortController();
  for (const server of servers) void repeat(CHECK_EVERY_MS, stopped.signal, () => check(server));

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    const choices = [...ready];
    const server = choices[next++ % choices.length];
    if (!server) return sendBadGateway(response, "No server is ready");
    const { hostname, port } = new URL(server);
    const { method, url: path, headers } = incoming;
    const { connection: _, ...forwardedHeaders } = headers;
    const outgoing = request(
      { hostname, port, method, path, headers: forwardedHeaders, agent: connections },
      (answer) => {
        const { connection: _hop, "keep-alive": _idle, ...answerHeaders } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, answerHeaders);
        answer.pipe(response);
        answer.once("error", () => response.destroy());
      },
    );
    outgoing.once("error", (error) => {
      if (response.headersSent) response.destroy();
      else sendBadGateway(response, `${server}: ${error.message}`);
    });
    response.once("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  const balancer = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, forward);
  await new Promise<void>((listening) => balancer.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    stop: () => {
      stopped.abort();
      balancer.close();
      balancer.closeAllConnections();
      connections.destroy();
    },
  };
}
