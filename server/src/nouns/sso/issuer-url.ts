import { isIP } from "node:net";
import type { Config } from "../../infrastructure/config/config.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { isPublicAddress } from "./public-addresses.ts";

const issuerError = (message: string) => new ApiError("ERR_INVALID_VALUE", { path: "issuerURL", message });

/** Checks the URL alone; the addresses that its name resolves to are checked at every request. */
export function requireAllowedIssuer({ appEnv, oidcAllowedHosts }: Config, issuerURL: string): void {
  const { protocol, hostname } = new URL(issuerURL);
  if (protocol !== "https:" && appEnv !== "local") throw issuerError("must start with https://");
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) && !isPublicAddress(literal) && !oidcAllowedHosts.includes(hostname))
    throw issuerError("is a private address; the server’s operator can allow it with OIDC_ALLOWED_HOSTS");
}
