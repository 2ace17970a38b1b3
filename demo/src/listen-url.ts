import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** Where a server listens. */
export function listenURL(http: FastifyInstance): string {
  const { address, port } = http.server.address() as AddressInfo;
  return `http://${address}:${port}`;
}
