import { isIP } from "node:net";
import type { Config } from "../../infrastructure/config/config.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { isPublicAddress } from "./public-addresses.ts";

const refuse = (message: string) => new ApiError("ERR_INVALID_VALUE", { path: "issuerURL", message });

/** What can be told from the address alone; where its name leads is looked at whenever it is asked. */
export function refuseIssuer({ appEnv, oidcAllowedHosts }: Config, issuerURL: string): void {
  const { protocol, hostname } = new URL(issuerURL);
  if (protocol !== "https:" && appEnv !== "local") throw refuse("must begin with https://");
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) && !isPublicAddress(literal) && !oidcAllowedHosts.includes(hostname))
    throw refuse("is a private address; whoever runs this server can allow it (OIDC_ALLOWED_HOSTS)");
}
