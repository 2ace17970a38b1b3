/** Fetches from identity providers, over connections that are pinned to one permitted address. */
import type { CustomFetch, CustomFetchOptions } from "openid-client";
import { type Dispatcher, errors, request } from "undici";
import type { Config } from "../../infrastructure/config/config.ts";
import {
  createPinnedConnections,
  type OutgoingEdges,
  rejectOnTimeout,
  UnreachableError,
} from "../../infrastructure/outgoing/pinned-connections.ts";

const TIMEOUT_MS = 5000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const BODILESS_STATUSES = new Set([204, 205, 304]);

export const allowedProviders = ({ oidcAllowedHosts }: Pick<Config, "oidcAllowedHosts">) =>
  ({ names: oidcAllowedHosts, variable: "OIDC_ALLOWED_HOSTS" }) as const;

/** Create one for each sign-in: an address stays pinned for its lifetime. */
export function createPinnedFetch(
  config: Pick<Config, "appEnv" | "oidcAllowedHosts">,
  { resolve, timeoutMs = TIMEOUT_MS }: OutgoingEdges = {},
): CustomFetch {
  const { dispatcher, requirePermitted } = createPinnedConnections(allowedProviders(config), {
    resolve,
    maxResponseSize: RESPONSE_BYTES_MAX,
  });

  return async (target, options) => {
    const url = new URL(target);
    if (url.protocol !== "https:" && config.appEnv !== "local")
      throw new UnreachableError("the URL must start with https://");
    const signal = AbortSignal.timeout(timeoutMs);
    const timeout = rejectOnTimeout(signal, url, timeoutMs);
    try {
      const response = requirePermitted(url).then(() => send(url, options, { dispatcher, signal }));
      return await Promise.race([response, timeout]);
    } catch (error) {
      throw error instanceof UnreachableError ? error : toUnreachable(url, error);
    }
  };
}

function toUnreachable({ hostname }: URL, cause: unknown): UnreachableError {
  if (cause instanceof errors.ResponseExceededMaxSizeError)
    return new UnreachableError(`${hostname} sent more than 1 MiB`, { cause });
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new UnreachableError(`${hostname} could not be reached${code}`, { cause });
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
