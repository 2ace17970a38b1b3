import type { BodyOf, createRoute } from "@lightkeeper/contract";
import {
  formatIpPrefix,
  ipPrefixContains,
  type IpPrefix,
  isIpv4,
  isMasked,
  parseIp,
  parseIpPrefix,
} from "@lightkeeper/nebula";
import { type Problem, requireNoProblems } from "../../infrastructure/errors/api-error.ts";

type Body = BodyOf<typeof createRoute>;

const ALL_SUBNETS = "0.0.0.0/0";
const ALL_IPV6_SUBNETS = "::/0";

function parseSubnet(text: string): IpPrefix | undefined {
  const prefix = parseIpPrefix(text);
  return prefix && isMasked(prefix) ? prefix : undefined;
}

/** The canonical form, which IPv4 networks always have. */
const canonical = (text: string): string => {
  const subnet = parseSubnet(text);
  return subnet ? formatIpPrefix(subnet) : text;
};

/** The same subnets in canonical form, each once. */
export function canonicalSubnets({ routableCIDRs, firewallRules }: Body) {
  const subnets: Body["routableCIDRs"] = {};
  for (const [text, { install }] of Object.entries(routableCIDRs)) {
    const key = canonical(text);
    subnets[key] = { install: install || subnets[key]?.install === true };
  }
  const rules = (firewallRules ?? []).map((rule) => ({ ...rule, localCIDR: canonical(rule.localCIDR) }));
  return { routableCIDRs: subnets, firewallRules: rules };
}

/** Reports all invalid subnets, and all rules for subnets that the route doesn't lead to. */
export function requireValidSubnets({ routableCIDRs, firewallRules }: Body): void {
  const texts = Object.keys(routableCIDRs);
  const routable = texts.flatMap((text) => parseSubnet(text) ?? []);
  const isRouted = (text: string) => {
    const local = parseSubnet(text);
    return local !== undefined && routable.some((subnet) => ipPrefixContains(subnet, local));
  };
  const isAllowed = (text: string) => text === ALL_SUBNETS || text === ALL_IPV6_SUBNETS || isRouted(text);
  requireNoProblems([
    ...texts.flatMap((text): Problem[] =>
      parseSubnet(text)
        ? []
        : [
            {
              code: "ERR_INVALID_IPV4_CIDR",
              path: `routableCIDRs.${text}`,
              message:
                "must be an IPv4 or IPv6 network in CIDR form, such as 192.168.5.0/24 or fd12:3456:789a::/64",
            },
          ],
    ),
    ...(firewallRules ?? []).flatMap(({ localCIDR }, index): Problem[] =>
      isAllowed(localCIDR)
        ? []
        : [
            {
              code: "ERR_INVALID_VALUE",
              path: `firewallRules[${index}].localCIDR`,
              message: `must be ${ALL_SUBNETS}, ${ALL_IPV6_SUBNETS} or a subnet inside one of routableCIDRs`,
            },
          ],
    ),
  ]);
}

export interface RouterAddresses {
  /** The ranges of the router's network. */
  cidrs: readonly string[];
  /** The router's addresses in it. */
  addresses: readonly string[];
}

/**
 * Nebula doesn't start with a route into its own network; a route to everything around it is fine. A router forwards
 * only packets of a family that it has an address of.
 */
export function requireServableSubnets({ routableCIDRs }: Body, { cidrs, addresses }: RouterAddresses): void {
  const hasFamilyOf = (subnet: IpPrefix) =>
    addresses.some((text) => {
      const address = parseIp(text);
      return address && isIpv4(address) === isIpv4(subnet.address);
    });
  const findProblem = (subnet: IpPrefix): string | undefined => {
    const overlay = cidrs.find((text) => {
      const network = parseSubnet(text);
      return network && ipPrefixContains(network, subnet);
    });
    if (overlay !== undefined) return `must not be inside ${overlay}, the network of the router`;
    if (hasFamilyOf(subnet)) return undefined;
    return `the router has no ${isIpv4(subnet.address) ? "IPv4" : "IPv6"} address`;
  };
  requireNoProblems(
    Object.keys(routableCIDRs).flatMap((text): Problem[] => {
      const subnet = parseSubnet(text);
      const message = subnet && findProblem(subnet);
      return message === undefined
        ? []
        : [{ code: "ERR_INVALID_VALUE", path: `routableCIDRs.${text}`, message }];
    }),
  );
}
