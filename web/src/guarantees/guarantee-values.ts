import {
  guaranteeTypes,
  ValidationError,
  type Guarantee,
  type GuaranteeDestination,
  type GuaranteeSource,
} from "@lightkeeper/contract";
import { GUARANTEE_ADD_PATH } from "../references/guarantee-link.ts";
import { ANY_PORT, formatPorts, parsePorts } from "../rules/port-values.ts";
import type { GuaranteeInput } from "./guarantees.queries.ts";

export type SelectorType = GuaranteeDestination["type"];

/** A source or destination as form values. */
export interface SelectorValues {
  type: SelectorType;
  /** The role, tag or host; null until one is chosen. */
  id: string | null;
  /** The subnet, as typed. */
  cidr: string;
}

/** The values of the form. */
export interface GuaranteeValues {
  type: Guarantee["type"];
  source: SelectorValues;
  destination: SelectorValues;
  protocol: Guarantee["protocol"];
  /** As typed. */
  ports: string;
  networkID: string | null;
  description: string;
}

export const emptySelector: SelectorValues = { type: "role", id: null, cidr: "" };

export const emptyGuarantee: GuaranteeValues = {
  type: "MUST_NEVER_REACH",
  source: emptySelector,
  destination: emptySelector,
  protocol: "TCP",
  ports: ANY_PORT,
  networkID: null,
  description: "",
};

const toSelectorValues = (selector: GuaranteeDestination): SelectorValues => ({
  type: selector.type,
  id: "id" in selector ? selector.id : null,
  cidr: "cidr" in selector ? selector.cidr : "",
});

type Saved = Pick<Guarantee, "type" | "source" | "destination" | "protocol"> & Partial<Guarantee>;

export const toValues = (guarantee: Saved): GuaranteeValues => ({
  type: guarantee.type,
  source: toSelectorValues(guarantee.source),
  destination: toSelectorValues(guarantee.destination),
  protocol: guarantee.protocol,
  ports: formatPorts(guarantee.portRange ?? null),
  networkID: guarantee.networkID ?? null,
  description: guarantee.description ?? "",
});

/** The problem with the ports, or undefined. A guarantee has one port or range. */
export function portsProblem({ protocol, ports }: Pick<GuaranteeValues, "protocol" | "ports">) {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  if (parsed && "problem" in parsed) return parsed.problem;
  return parsed && parsed.ranges.length > 1
    ? "Enter one port or range. Add a guarantee for each."
    : undefined;
}

function toPortRange({ protocol, ports }: GuaranteeValues): Guarantee["portRange"] {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  return parsed && "ranges" in parsed ? (parsed.ranges[0] ?? null) : null;
}

/** The shape of a subnet; the server validates its numbers. */
const SUBNET = /^[\da-f]*[.:][\da-f.:]*\/\d{1,3}$/i;

/** The problem with a subnet, or undefined. */
export const cidrProblem = (cidr: string): string | undefined =>
  SUBNET.test(cidr.trim()) ? undefined : "Enter a subnet such as 10.0.8.0/22 or fd00:8::/48.";

function toDestination({ type, id, cidr }: SelectorValues): GuaranteeDestination | undefined {
  if (type === "any") return { type };
  if (type === "subnet") return cidrProblem(cidr) ? undefined : { type, cidr: cidr.trim() };
  return id === null ? undefined : { type, id };
}

function toSource(values: SelectorValues): GuaranteeSource | undefined {
  const source = toDestination(values);
  return source?.type === "subnet" ? undefined : source;
}

/** The body of the API, or undefined while the sentence is incomplete. */
export function toBody(values: GuaranteeValues): GuaranteeInput | undefined {
  const [source, destination] = [toSource(values.source), toDestination(values.destination)];
  if (!source || !destination || portsProblem(values)) return undefined;
  const { type, protocol, networkID, description } = values;
  return { type, source, destination, protocol, portRange: toPortRange(values), networkID, description };
}

/** Maps the paths of port errors to the form field. */
export function mapGuaranteeErrors<E>(error: E): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) entry.path = entry.path?.replace(/^portRange(\..*)?$/, "ports");
  return error;
}

const selectorParameter = (selector: GuaranteeDestination): string => {
  if (selector.type === "any") return "any";
  return `${selector.type}:${selector.type === "subnet" ? selector.cidr : selector.id}`;
};

/** The page that adds a guarantee, filled in. */
export function addPathOf({ type, source, destination, protocol, portRange = null }: GuaranteeInput): string {
  const parameters = new URLSearchParams({
    type,
    source: selectorParameter(source),
    destination: selectorParameter(destination),
    protocol,
    ports: formatPorts(portRange),
  });
  return `${GUARANTEE_ADD_PATH}?${parameters}`;
}

const selectorTypes: readonly SelectorType[] = ["role", "tag", "host", "any", "subnet"];
const protocols: readonly Guarantee["protocol"][] = ["ANY", "TCP", "UDP", "ICMP"];

function readSelector(parameter: string | null): SelectorValues {
  const [, typeName, id = ""] = /^(\w+)(?::(.*))?$/s.exec(parameter ?? "") ?? [];
  const type = selectorTypes.find((known) => known === typeName);
  if (type === undefined) return emptySelector;
  return type === "subnet" ? { type, id: null, cidr: id } : { type, id: id || null, cidr: "" };
}

/** The values in the query string of `addPathOf`. */
export function readValues(parameters: URLSearchParams): GuaranteeValues {
  const source = readSelector(parameters.get("source"));
  return {
    ...emptyGuarantee,
    type: guaranteeTypes.find((type) => type === parameters.get("type")) ?? emptyGuarantee.type,
    source: source.type === "subnet" ? emptySelector : source,
    destination: readSelector(parameters.get("destination")),
    protocol:
      protocols.find((protocol) => protocol === parameters.get("protocol")) ?? emptyGuarantee.protocol,
    ports: parameters.get("ports") ?? emptyGuarantee.ports,
  };
}
