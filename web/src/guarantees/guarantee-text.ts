/** A guarantee in words. */
import type { Guarantee, GuaranteeDestination } from "@lightkeeper/contract";
import { formatPorts, serviceLabel } from "../rules/port-values.ts";

type Type = Guarantee["type"];

export const verbs: Readonly<Record<Type, string>> = {
  MUST_REACH: "always",
  MUST_NEVER_REACH: "never",
};

/** "Any host must never reach …", but "Every host must always reach …". */
export const allHosts: Readonly<Record<Type, string>> = {
  MUST_REACH: "every host",
  MUST_NEVER_REACH: "any host",
};

export interface SelectorText {
  /** "role"; empty if the name is enough. */
  noun: string;
  name: string;
}

/** `name` is the current name of a role or host. */
export function selectorText(
  type: Type,
  selector: GuaranteeDestination,
  name: string | undefined,
): SelectorText {
  switch (selector.type) {
    case "any":
      return { noun: "", name: allHosts[type] };
    case "subnet":
      return { noun: "subnet", name: selector.cidr };
    case "role":
    case "tag":
    case "host":
      return { noun: selector.type, name: name ?? selector.id };
  }
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const phrase = ({ noun, name }: SelectorText) => (noun ? `${noun} ${name}` : name);

/** "Role CI runner must never reach role Database" */
export const sentenceText = (type: Type, source: SelectorText, destination: SelectorText): string =>
  `${capitalize(phrase(source))} must ${verbs[type]} reach ${phrase(destination)}`;

/** "TCP 5432 (PostgreSQL)", "All TCP ports", "All traffic" */
export function trafficText({ protocol, portRange }: Pick<Guarantee, "protocol" | "portRange">): string {
  if (protocol === "ICMP") return "ICMP (ping)";
  if (portRange === null) return protocol === "ANY" ? "All traffic" : `All ${protocol} ports`;
  const service = serviceLabel(protocol, portRange);
  const protocols = protocol === "ANY" ? "TCP and UDP" : protocol;
  return `${protocols} ${formatPorts(portRange)}${service ? ` (${service})` : ""}`;
}
