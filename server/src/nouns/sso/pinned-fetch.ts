/**
 * Fetches from identity providers. Checks the addresses that a name resolves to and connects to exactly that address,
 * so that DNS rebinding cannot reach private addresses. Does not follow redirects.
 */
import { lookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify, promisify } from "node:util";
import type { CustomFetch, CustomFetchOptions } from "openid-client";
import { Agent, type Dispatcher, errors, request } from "undici";
import type { Config } from "../../infrastructure/config/config.ts";
import { isPublicAddress } from "./public-addresses.ts";

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Replaced by tests. */
export interface ProviderEdges {
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 5000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const BODILESS_STATUSES = new Set([204, 205, 304]);

/** The message is shown to the owner who sets up the provider. */
export class ProviderUnreachable extends Error {}

const resolveAll: Resolve = (hostname) => promisify(lookup)(hostname, { all: true });

/** Resolves a name to its first address, unless one of its addresses is private and the name isn't allowed. */
async function resolvePermitted(
  hostname: string,
  resolve: Resolve,
  allowedHosts: readonly string[],
): Promise<LookupAddress> {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal);
  const addresses = family ? [{ address: literal, family }] : await resolve(hostname);
  const [first] = addresses;
  if (!first) throw new ProviderUnreachable(`${hostname} has no address`);
  const isAllowed = allowedHosts.includes(hostname);
  if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new ProviderUnreachable(
      `${hostname} has a private address; the server’s operator can allow it with OIDC_ALLOWED_HOSTS`,
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

/** Rejects when the signal aborts. */
const rejectOnTimeout = (signal: AbortSignal, { hostname }: URL, timeoutMs: number) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () =>
      reject(new ProviderUnreachable(`${hostname} did not respond within ${timeoutMs / 1000} seconds`)),
    );
  });

/** Create one for each sign-in: an address stays pinned for its lifetime. */
export function createPinnedFetch(
  config: Pick<Config, "appEnv" | "oidcAllowedHosts">,
  { resolve = resolveAll, timeoutMs = TIMEOUT_MS }: ProviderEdges = {},
): CustomFetch {
  const pinned = new Map<string, Promise<LookupAddress>>();
  const addressOf = (hostname: string): Promise<LookupAddress> => {
    const address = pinned.get(hostname) ?? resolvePermitted(hostname, resolve, config.oidcAllowedHosts);
    pinned.set(hostname, address);
    return address;
  };
  // Without pipelining, a connection is closed after its response.
  const dispatcher = new Agent({
    connect: { lookup: lookupWith(addressOf) },
    pipelining: 0,
    maxResponseSize: RESPONSE_BYTES_MAX,
  });

  return async (target, options) => {
    const url = new URL(target);
    if (url.protocol !== "https:" && config.appEnv !== "local")
      throw new ProviderUnreachable("the URL must start with https://");
    const signal = AbortSignal.timeout(timeoutMs);
    const timeout = rejectOnTimeout(signal, url, timeoutMs);
    try {
      // Sockets look up names only, so an address in the URL is checked here.
      const response = addressOf(url.hostname).then(() => send(url, options, { dispatcher, signal }));
      return await Promise.race([response, timeout]);
    } catch (error) {
      throw error instanceof ProviderUnreachable ? error : toUnreachable(url, error);
    }
  };
}

function toUnreachable({ hostname }: URL, cause: unknown): ProviderUnreachable {
  if (cause instanceof errors.ResponseExceededMaxSizeError)
    return new ProviderUnreachable(`${hostname} sent more than 1 MiB`, { cause });
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ProviderUnreachable(`${hostname} could not be reached${code}`, { cause });
}

/** Uses `request`, which unlike `fetch` neither follows redirects nor decompresses. */
async function send(
  url: URL,
  { method, headers, body }: CustomFetchOptions,
  connection: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<Response> {
  const content = body instanceof URLSearchParams || typeof body === "string" ? String(body) : null;
  const response = await request(url, {
    method,
    headers,
    body: content,
    ...connection,
  });
  const bytes = await response.body.arrayBuffer();
  return new Response(BODILESS_STATUSES.has(response.statusCode) ? null : bytes, {
    status: response.statusCode,
    headers: toHeaders(response.headers),
  });
}

function toHeaders(received: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}
