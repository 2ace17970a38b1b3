/**
 * Nebula before 1.9 can't limit a rule to a router or to the subnets behind it: every rule of the router allows both.
 * A route through such a router has to accept wider rules.
 */
import type { BodyOf, createRoute } from "@lightkeeper/contract";
import { compileFirewall, nebulaCapabilities } from "@lightkeeper/nebula";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { RuleSources } from "./routes.queries.ts";

/** An unknown version counts as new. */
export const isTooOld = (nebulaVersion: string | null): nebulaVersion is string =>
  nebulaVersion !== null && !nebulaCapabilities(nebulaVersion).localCidr;

/** Throws if a rule of the router would allow more than it says. */
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
      `the router runs Nebula ${nebulaVersion}, which applies each rule to the router and to all subnets behind it: ` +
      `${rules} would allow more than intended; update Nebula on the router to 1.9 or newer, or accept wider rules`,
    extra: { nebulaVersion, rules: [...wider] },
  });
}
