import type { Config } from "../../infrastructure/config/config.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { findUrlProblem } from "../../infrastructure/outgoing/pinned-connections.ts";
import { allowedProviders } from "./pinned-fetch.ts";

/** Checks the URL alone; the addresses that its name resolves to are checked at every request. */
export function requireAllowedIssuer(config: Config, issuerURL: string): void {
  const message = findUrlProblem(config.appEnv, issuerURL, allowedProviders(config));
  if (message !== undefined) throw new ApiError("ERR_INVALID_VALUE", { path: "issuerURL", message });
}
