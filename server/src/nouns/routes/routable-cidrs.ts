import type { BodyOf, createRoute } from "@lightkeeper/contract";
import { type Cidr, cidrContains, isAligned, parseCidr } from "@lightkeeper/nebula";
import { requireNoProblems } from "../../infrastructure/errors/api-error.ts";

type Body = BodyOf<typeof createRoute>;

const ALL_SUBNETS = "0.0.0.0/0";

function parseSubnet(text: string): Cidr | undefined {
  const cidr = parseCidr(text);
  return cidr && isAligned(cidr) ? cidr : undefined;
}

/** Reports all invalid subnets, and all rules for subnets that the route doesn't lead to. */
export function requireValidSubnets({ routableCIDRs, firewallRules }: Body): void {
  const texts = Object.keys(routableCIDRs);
  const routable = texts.flatMap((text) => parseSubnet(text) ?? []);
  const isRouted = (text: string) => {
    const local = parseSubnet(text);
    return local !== undefined && routable.some((subnet) => cidrContains(subnet, local));
  };
  const problems = [
    ...texts.flatMap((text) =>
      parseSubnet(text) ? [] : [{ code: "ERR_INVALID_IPV4_CIDR" as const, path: `routableCIDRs.${text}` }],
    ),
    ...(firewallRules ?? []).flatMap(({ localCIDR }, index) =>
      localCIDR === ALL_SUBNETS || isRouted(localCIDR)
        ? []
        : [
            {
              code: "ERR_INVALID_VALUE" as const,
              path: `firewallRules[${index}].localCIDR`,
              message: `must be ${ALL_SUBNETS} or a subnet inside one of routableCIDRs`,
            },
          ],
    ),
  ];
  requireNoProblems(problems);
}

/** Nebula doesn't start with a route into its own network. A route to everything around it is fine. */
export function requireSubnetsOutsideOverlay({ routableCIDRs }: Body, overlay: string): void {
  const network = parseSubnet(overlay);
  if (!network) throw new Error(`${overlay} is not a network`);
  const problems = Object.keys(routableCIDRs).flatMap((text) => {
    const routable = parseSubnet(text);
    return routable && cidrContains(network, routable)
      ? [
          {
            code: "ERR_INVALID_VALUE" as const,
            path: `routableCIDRs.${text}`,
            message: `must not be inside ${overlay}, the network of the router`,
          },
        ]
      : [];
  });
  requireNoProblems(problems);
}
