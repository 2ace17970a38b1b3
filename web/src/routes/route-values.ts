import { ValidationError, type Route } from "@lightkeeper/contract";
import { formatCidr, isAligned, parseCidr, prefixLengthToMask } from "@lightkeeper/nebula";
import {
  pingRule,
  placeRuleErrors,
  toRouteRules,
  toRuleValues,
  type WithRules,
} from "../rules/rule-values.ts";

interface RoutableCidr {
  cidr: string;
  /** Whether those who get the route put it into their system's own table. */
  install: boolean;
}

/** What the form holds. */
export interface RouteValues extends WithRules {
  name: string;
  description: string;
  routerHostID: string | null;
  routableCIDRs: RoutableCidr[];
  acceptWiderRules: boolean;
}

export const newCidr: RoutableCidr = { cidr: "", install: true };

export const emptyRoute: RouteValues = {
  name: "",
  description: "",
  routerHostID: null,
  routableCIDRs: [newCidr],
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
  firewallRules: firewallRules.map(toRuleValues),
});

/** The networks that have been written so far. */
export const networksOf = ({ routableCIDRs }: Pick<RouteValues, "routableCIDRs">): string[] =>
  routableCIDRs.map(({ cidr }) => cidr.trim()).filter((cidr) => cidr !== "");

export const toBody = ({ firewallRules, routableCIDRs, ...values }: RouteValues) => ({
  ...values,
  routableCIDRs: Object.fromEntries(
    routableCIDRs.flatMap(({ cidr, install }) => (cidr.trim() ? [[cidr.trim(), { install }]] : [])),
  ),
  firewallRules: toRouteRules(firewallRules),
});

/** What is wrong with one of the networks, before the server is asked; an empty line says nothing. */
export function cidrFault(text: string, others: readonly string[]): string | undefined {
  const given = text.trim();
  if (given === "") return undefined;
  const cidr = parseCidr(given);
  if (!cidr) return "A network is written like 192.168.4.0/24.";
  if (!isAligned(cidr)) {
    const address = (cidr.address & prefixLengthToMask(cidr.prefixLength)) >>> 0;
    return `That is an address inside ${formatCidr({ ...cidr, address })}.`;
  }
  if (others.includes(given)) return "This network is there already.";
  return undefined;
}

/** The API names a network by itself, the form by its line. */
export function placeRouteErrors<E>(error: E, values: RouteValues): E {
  if (!(error instanceof ValidationError)) return error;
  const prefix = "routableCIDRs.";
  for (const entry of error.fieldErrors) {
    if (!entry.path?.startsWith(prefix)) continue;
    const named = entry.path.slice(prefix.length);
    const index = values.routableCIDRs.findIndex(({ cidr }) => cidr.trim() === named);
    if (index >= 0) entry.path = `routableCIDRs[${index}].cidr`;
  }
  return placeRuleErrors(error);
}
