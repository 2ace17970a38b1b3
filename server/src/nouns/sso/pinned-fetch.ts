/**
 * Asks identity providers, and nobody else: whatever their names resolve to is looked at first, and exactly that
 * address is connected to, so that a name cannot lead somewhere else a moment later. Redirects are not followed.
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

/** What tests put in place of the world. */
export interface ProviderEdges {
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 5000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** The reason is for the owner who sets the provider up. */
export class ProviderUnreachable extends Error {}

const resolveAll: Resolve = (hostname) => promisify(lookup)(hostname, { all: true });

/** One for each sign-in: what a name has resolved to holds for all of it. */
export function createPinnedFetch(
  config: Pick<Config, "appEnv" | "oidcAllowedHosts">,
  { resolve = resolveAll, timeoutMs = TIMEOUT_MS }: ProviderEdges = {},
): CustomFetch {
  const pinned = new Map<string, Promise<LookupAddress>>();

  async function permitted(hostname: string): Promise<LookupAddress> {
    const literal = hostname.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(literal);
    const addresses = family ? [{ address: literal, family }] : await resolve(hostname);
    const [first] = addresses;
    if (!first) throw new ProviderUnreachable(`${hostname} has no address`);
    const isAllowed = config.oidcAllowedHosts.includes(hostname);
    if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
      throw new ProviderUnreachable(
        `${hostname} has a private address; whoever runs this server can allow it (OIDC_ALLOWED_HOSTS)`,
      );
    return first;
  }

  function addressOf(hostname: string): Promise<LookupAddress> {
    const known = pinned.get(hostname) ?? permitted(hostname);
    pinned.set(hostname, known);
    return known;
  }

  return async (target, options) => {
    const url = new URL(target);
    if (url.protocol !== "https:" && config.appEnv !== "local")
      throw new ProviderUnreachable("only addresses that begin with https:// are asked");
    const deadline = AbortSignal.timeout(timeoutMs);
    const late = new Promise<never>((_resolve, reject) => {
      deadline.addEventListener("abort", () =>
        reject(new ProviderUnreachable(`${url.hostname} did not answer within ${timeoutMs / 1000} seconds`)),
      );
    });
    try {
      const answered = addressOf(url.hostname).then((address) => send(url, address, options, deadline));
      return await Promise.race([answered, late]);
    } catch (error) {
      throw error instanceof ProviderUnreachable ? error : unreachable(url, error);
    }
  };
}

function unreachable({ hostname }: URL, cause: unknown): ProviderUnreachable {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ProviderUnreachable(`${hostname} could not be reached${code}`, { cause });
}

function send(
  url: URL,
  { address, family }: LookupAddress,
  { method, headers, body }: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const pinnedLookup: LookupFunction = (_hostname, options, found) =>
    options.all ? found(null, [{ address, family }]) : found(null, address, family);
  const content = body instanceof URLSearchParams || typeof body === "string" ? String(body) : undefined;
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers, agent: false, signal, lookup: pinnedLookup }, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("error", reject);
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= ANSWER_BYTES_MAX) return;
        reject(new ProviderUnreachable(`${url.hostname} answers more than 1 MiB`));
        asking.destroy();
      });
      answer.on("end", () => {
        const { statusCode: status = 0 } = answer;
        try {
          const held = WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks);
          resolve(new Response(held, { status, headers: headersOf(answer.rawHeaders) }));
        } catch (error) {
          reject(error);
        }
      });
    });
    asking.on("error", reject);
    asking.end(content);
  });
}

function headersOf(raw: string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  return headers;
}
