import type { BodyOf, createRoute } from "@lightkeeper/contract";
import { type Cidr, cidrContains, isAligned, parseCidr } from "@lightkeeper/nebula";
import { requireNoProblems } from "../../infrastructure/errors/api-error.ts";

type Body = BodyOf<typeof createRoute>;

const ALL_NETWORKS = "0.0.0.0/0";

function parseNetwork(text: string): Cidr | undefined {
  const cidr = parseCidr(text);
  return cidr && isAligned(cidr) ? cidr : undefined;
}

/** Refuses what is no network, and rules that speak of networks the route does not lead to, all at once. */
export function checkNetworks({ routableCIDRs, firewallRules }: Body): void {
  const texts = Object.keys(routableCIDRs);
  const routable = texts.flatMap((text) => parseNetwork(text) ?? []);
  const isRouted = (text: string) => {
    const local = parseNetwork(text);
    return local !== undefined && routable.some((network) => cidrContains(network, local));
  };
  const faults = [
    ...texts.flatMap((text) =>
      parseNetwork(text) ? [] : [{ code: "ERR_INVALID_IPV4_CIDR" as const, path: `routableCIDRs.${text}` }],
    ),
    ...(firewallRules ?? []).flatMap(({ localCIDR }, index) =>
      localCIDR === ALL_NETWORKS || isRouted(localCIDR)
        ? []
        : [
            {
              code: "ERR_INVALID_VALUE" as const,
              path: `firewallRules[${index}].localCIDR`,
              message: `must be ${ALL_NETWORKS} or a network inside one of routableCIDRs`,
            },
          ],
    ),
  ];
  requireNoProblems(faults);
}

/** Refuses a way into the overlay itself: Nebula would not start. One around it, to everything, is fine. */
export function requireSubnetsOutsideOverlay({ routableCIDRs }: Body, overlay: string): void {
  const network = parseNetwork(overlay);
  if (!network) throw new Error(`${overlay} is not a network`);
  const faults = Object.keys(routableCIDRs).flatMap((text) => {
    const routable = parseNetwork(text);
    return routable && cidrContains(network, routable)
      ? [
          {
            code: "ERR_INVALID_VALUE" as const,
            path: `routableCIDRs.${text}`,
            message: `must not lie inside ${overlay}, the network of the router`,
          },
        ]
      : [];
  });
  requireNoProblems(faults);
}
