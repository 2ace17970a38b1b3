/**
 * A Nebula before 1.9 cannot hold a rule to the networks behind its host, nor to the host alone: on a router every
 * rule opens both. Whoever makes such a host a router has to say that this is wanted.
 */
import type { BodyOf, createRoute } from "@lightkeeper/contract";
import { compileFirewall, nebulaCapabilities } from "@lightkeeper/nebula";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { RuleSources } from "./routes.queries.ts";

/** One that says nothing counts as new. */
export const isTooOld = (nebulaVersion: string | null): nebulaVersion is string =>
  nebulaVersion !== null && !nebulaCapabilities(nebulaVersion).localCidr;

/** Refuses the route where it makes any rule of its router open more than it says. */
export function requireNoWiderRules(
  { id, routableCIDRs, firewallRules }: BodyOf<typeof createRoute> & { id: string },
  nebulaVersion: string,
  { roleRules, tags, routesServed }: RuleSources,
): void {
  if (Object.keys(routableCIDRs).length === 0) return;
  const served = [...routesServed, { id, routableCIDRs, firewallRules: firewallRules ?? [] }];
  const { wider } = compileFirewall({ nebulaVersion, roleRules, tags, routesServed: served });
  if (wider.length === 0) return;
  const rules = wider.length === 1 ? "1 of its rules" : `${wider.length} of its rules`;
  throw new ApiError("ERR_RULES_WIDER", {
    path: "routerHostID",
    message:
      `the router runs Nebula ${nebulaVersion}, which takes a rule for the router and for all networks behind it: ` +
      `${rules} would open more than said; update Nebula there to 1.9 or newer, or accept wider rules`,
    extra: { nebulaVersion, rules: [...wider] },
  });
}
