import { ValidationError, type Route } from "@lightkeeper/contract";
import { formatIpPrefix, maskIpPrefix, parseIpPrefix } from "@lightkeeper/nebula";
import {
  pingRule,
  mapRuleErrors,
  toRouteRules,
  toSavedRuleValues,
  type WithRules,
} from "../rules/rule-values.ts";

interface RoutableSubnet {
  cidr: string;
  /** Whether hosts add the route to their routing table. */
  install: boolean;
}

/** The values of the form. */
export interface RouteValues extends WithRules {
  name: string;
  description: string;
  routerHostID: string | null;
  routableCIDRs: RoutableSubnet[];
  acceptWiderRules: boolean;
}

export const newSubnet: RoutableSubnet = { cidr: "", install: true };

export const emptyRoute: RouteValues = {
  name: "",
  description: "",
  routerHostID: null,
  routableCIDRs: [newSubnet],
  acceptWiderRules: false,
  firewallRules: [pingRule],
};

export const toValues = ({ routableCIDRs, firewallRules, ...route }: Route): RouteValues => ({
  name: route.name,
  description: route.description,
  routerHostID: route.routerHostID ?? null,
  routableCIDRs: Object.entries(routableCIDRs)
    .map(([cidr, { install }]) => ({ cidr, install }))
    .toSorted((one, other) => one.cidr.localeCompare(other.cidr, "en", { numeric: true })),
  acceptWiderRules: route.acceptWiderRules,
  firewallRules: toSavedRuleValues(firewallRules),
});

/** The subnets in the form, without empty lines. */
export const subnetsOf = ({ routableCIDRs }: Pick<RouteValues, "routableCIDRs">): string[] =>
  routableCIDRs.map(({ cidr }) => cidr.trim()).filter((cidr) => cidr !== "");

export const toBody = ({ firewallRules, routableCIDRs, ...values }: RouteValues) => ({
  ...values,
  routableCIDRs: Object.fromEntries(
    routableCIDRs.flatMap(({ cidr, install }) => (cidr.trim() ? [[cidr.trim(), { install }]] : [])),
  ),
  firewallRules: toRouteRules(firewallRules),
});

/** The problem with a subnet, or undefined. Empty lines are ignored. */
export function subnetProblem(text: string, others: readonly string[]): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const prefix = parseIpPrefix(trimmed);
  if (!prefix) return "Enter a subnet such as 192.168.4.0/24 or fd00:4::/64.";
  const start = formatIpPrefix(maskIpPrefix(prefix));
  if (formatIpPrefix(prefix) !== start) return `Enter the start of the subnet: ${start}.`;
  if (others.some((other) => canonicalSubnet(other) === start)) return "This subnet is already in the list.";
  return undefined;
}

/** The canonical form of a subnet; the text itself if it isn't one. */
function canonicalSubnet(text: string): string {
  const prefix = parseIpPrefix(text);
  return prefix ? formatIpPrefix(prefix) : text;
}

/** Maps API paths, which name the subnet, to form fields, which have an index. */
export function mapRouteErrors<E>(error: E, values: RouteValues): E {
  if (!(error instanceof ValidationError)) return error;
  const prefix = "routableCIDRs.";
  for (const entry of error.fieldErrors) {
    if (!entry.path?.startsWith(prefix)) continue;
    const subnet = entry.path.slice(prefix.length);
    const index = values.routableCIDRs.findIndex(
      ({ cidr }) => canonicalSubnet(cidr.trim()) === canonicalSubnet(subnet),
    );
    if (index >= 0) entry.path = `routableCIDRs[${index}].cidr`;
  }
  return mapRuleErrors(error);
}
