/**
 * Connections to servers whose names people enter. Checks the addresses that a name resolves to and connects to exactly
 * that address, so that DNS rebinding can't reach private addresses. Nothing here follows redirects.
 */
import { lookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify, promisify } from "node:util";
import { Agent } from "undici";
import type { AppEnv } from "../config/config.ts";
import { isPublicAddress } from "./public-addresses.ts";

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Replaced by tests. */
export interface OutgoingEdges {
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
}

/** The hosts that may have private addresses, and the variable by which the operator allows them. */
export interface AllowedHosts {
  names: readonly string[];
  variable: "OIDC_ALLOWED_HOSTS" | "WEBHOOK_ALLOWED_HOSTS";
  /** They may also be reached without TLS. */
  allowHttp?: true;
}

/** The message is shown to the person who entered the URL. */
export class UnreachableError extends Error {}

const resolveAll: Resolve = (hostname) => promisify(lookup)(hostname, { all: true });

const literalOf = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1");

/** Resolves a name to its first address, unless one of its addresses is private and the name isn't allowed. */
async function resolvePermitted(
  hostname: string,
  resolve: Resolve,
  { names, variable }: AllowedHosts,
): Promise<LookupAddress> {
  const literal = literalOf(hostname);
  const family = isIP(literal);
  const addresses = family ? [{ address: literal, family }] : await resolve(hostname);
  const [first] = addresses;
  if (!first) throw new UnreachableError(`${hostname} has no address`);
  if (!names.includes(hostname) && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new UnreachableError(
      `${hostname} has a private address; the server’s operator can allow it with ${variable}`,
    );
  return first;
}

const lookupWith =
  (addressOf: (hostname: string) => Promise<LookupAddress>): LookupFunction =>
  (hostname, { all }, callback) => {
    callbackify(addressOf)(hostname, (error: Error | null, pinnedAddress) => {
      if (error) callback(error, "", 0);
      else if (all) callback(null, [pinnedAddress]);
      else callback(null, pinnedAddress.address, pinnedAddress.family);
    });
  };

export interface PinnedConnections {
  dispatcher: Agent;
  /** Call before a request: sockets look up names only, so an address in the URL is checked here. */
  requirePermitted: (url: URL) => Promise<unknown>;
}

/** An address stays pinned for the lifetime of the connections, so create them for one exchange only. */
export function createPinnedConnections(
  allowedHosts: AllowedHosts,
  { resolve = resolveAll, maxResponseSize }: { resolve?: Resolve | undefined; maxResponseSize?: number },
): PinnedConnections {
  const pinned = new Map<string, Promise<LookupAddress>>();
  const addressOf = (hostname: string): Promise<LookupAddress> => {
    const address = pinned.get(hostname) ?? resolvePermitted(hostname, resolve, allowedHosts);
    pinned.set(hostname, address);
    return address;
  };
  // Without pipelining, a connection is closed after its response.
  const dispatcher = new Agent({
    connect: { lookup: lookupWith(addressOf) },
    pipelining: 0,
    ...(maxResponseSize !== undefined && { maxResponseSize }),
  });
  return { dispatcher, requirePermitted: ({ hostname }) => addressOf(hostname) };
}

/** Rejects when the signal aborts. */
export const rejectOnTimeout = (signal: AbortSignal, { hostname }: URL, timeoutMs: number) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () =>
      reject(new UnreachableError(`${hostname} did not respond within ${timeoutMs / 1000} seconds`)),
    );
  });

/** The URL's error, or undefined. The addresses that its name resolves to are checked at every request. */
export function findUrlProblem(appEnv: AppEnv, url: string, allowedHosts: AllowedHosts): string | undefined {
  const { protocol, hostname } = new URL(url);
  const isAllowed = allowedHosts.names.includes(hostname);
  const isHttpAllowed = appEnv === "local" || (isAllowed && allowedHosts.allowHttp === true);
  if (protocol !== "https:" && !isHttpAllowed) return "must start with https://";
  const literal = literalOf(hostname);
  if (isIP(literal) && !isPublicAddress(literal) && !isAllowed)
    return `is a private address; the server’s operator can allow it with ${allowedHosts.variable}`;
  return undefined;
}
