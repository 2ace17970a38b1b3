import { compileFirewall } from "./firewall.ts";
import type { FirewallInput, ServedRoute, WiderRule } from "./firewall.ts";

export interface RouterRoute extends ServedRoute {
  /** Whether the route may also allow what Nebula before 1.9 allows beyond its rules. */
  readonly acceptWiderRules: boolean;
}

/**
 * Nebula before 1.9 applies the rules of a router also to the subnets behind it, and the rules of its routes also to
 * the router. Unless every route accepts that, the host is no router, and its rules apply only to the host.
 */
export function selectServedRoutes<Route extends RouterRoute>(
  rules: Omit<FirewallInput, "routesServed" | "acceptWider">,
  routes: readonly Route[],
): { served: readonly Route[]; wider: readonly WiderRule[]; acceptWider: boolean } {
  if (routes.length === 0) return { served: routes, wider: [], acceptWider: false };
  const { wider } = compileFirewall({ ...rules, routesServed: routes });
  const acceptWider = routes.every(
    ({ acceptWiderRules, routableCIDRs }) => acceptWiderRules || Object.keys(routableCIDRs).length === 0,
  );
  return { served: wider.length === 0 || acceptWider ? routes : [], wider, acceptWider };
}
