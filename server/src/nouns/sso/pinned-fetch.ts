/**
 * Fetches from identity providers. Checks the addresses that a name resolves to and connects to exactly that address,
 * so that DNS rebinding cannot reach private addresses. Does not follow redirects.
 */
import { lookup, type LookupAddress } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import type { CustomFetch, CustomFetchOptions } from "openid-client";
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

/** Create one for each sign-in: an address stays pinned for its lifetime. */
export function createPinnedFetch(
  config: Pick<Config, "appEnv" | "oidcAllowedHosts">,
  { resolve = resolveAll, timeoutMs = TIMEOUT_MS }: ProviderEdges = {},
): CustomFetch {
  const pinned = new Map<string, Promise<LookupAddress>>();

  async function resolvePermitted(hostname: string): Promise<LookupAddress> {
    const literal = hostname.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(literal);
    const addresses = family ? [{ address: literal, family }] : await resolve(hostname);
    const [first] = addresses;
    if (!first) throw new ProviderUnreachable(`${hostname} has no address`);
    const isAllowed = config.oidcAllowedHosts.includes(hostname);
    if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
      throw new ProviderUnreachable(
        `${hostname} has a private address; the server’s operator can allow it with OIDC_ALLOWED_HOSTS`,
      );
    return first;
  }

  function addressOf(hostname: string): Promise<LookupAddress> {
    const known = pinned.get(hostname) ?? resolvePermitted(hostname);
    pinned.set(hostname, known);
    return known;
  }

  return async (target, options) => {
    const url = new URL(target);
    if (url.protocol !== "https:" && config.appEnv !== "local")
      throw new ProviderUnreachable("the URL must start with https://");
    const deadline = AbortSignal.timeout(timeoutMs);
    const timeout = new Promise<never>((_resolve, reject) => {
      deadline.addEventListener("abort", () =>
        reject(new ProviderUnreachable(`${url.hostname} did not respond within ${timeoutMs / 1000} seconds`)),
      );
    });
    try {
      const response = addressOf(url.hostname).then((address) => send(url, address, options, deadline));
      return await Promise.race([response, timeout]);
    } catch (error) {
      throw error instanceof ProviderUnreachable ? error : toUnreachable(url, error);
    }
  };
}

function toUnreachable({ hostname }: URL, cause: unknown): ProviderUnreachable {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ProviderUnreachable(`${hostname} could not be reached${code}`, { cause });
}

function send(
  url: URL,
  { address, family }: LookupAddress,
  { method, headers, body }: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const pinnedLookup: LookupFunction = (_hostname, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);
  const content = body instanceof URLSearchParams || typeof body === "string" ? String(body) : undefined;
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers, agent: false, signal, lookup: pinnedLookup },
      (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on("error", reject);
        incoming.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= RESPONSE_BYTES_MAX) return;
          reject(new ProviderUnreachable(`${url.hostname} sent more than 1 MiB`));
          outgoing.destroy();
        });
        incoming.on("end", () => {
          const { statusCode: status = 0 } = incoming;
          try {
            const responseBody = BODILESS_STATUSES.has(status) ? null : Buffer.concat(chunks);
            resolve(new Response(responseBody, { status, headers: headersOf(incoming.rawHeaders) }));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(content);
  });
}

function headersOf(raw: string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  return headers;
}
