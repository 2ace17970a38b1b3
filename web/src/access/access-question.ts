/** The question of the access page, which is in the URL: can the source open a connection to the destination? */
import type { AccessTraffic } from "@lightkeeper/contract";
import { parseIp } from "@lightkeeper/nebula";
import { parsePort } from "../rules/typed-port-values.ts";
import type { AccessCheck } from "./access.queries.ts";

export type AccessParty =
  | { kind: "host"; id: string }
  | { kind: "role"; id: string }
  | { kind: "address"; address: string };

export const checkedProtocols = ["TCP", "UDP", "ICMP"] as const;
export type CheckedProtocol = (typeof checkedProtocols)[number];

export interface Question {
  source: AccessParty | undefined;
  destination: AccessParty | undefined;
  protocol: CheckedProtocol;
  /** As typed. */
  port: string;
  /** The network of roles; only needed if neither side is a host. */
  network: string | undefined;
}

const DEFAULT_PORT = "443";

/** A host and a role are named by their IDs, and everything else is an address. */
export function parseParty(text: string | null): AccessParty | undefined {
  if (!text) return undefined;
  if (text.startsWith("host-")) return { kind: "host", id: text };
  if (text.startsWith("role-")) return { kind: "role", id: text };
  return parseIp(text) ? { kind: "address", address: text } : undefined;
}

export const formatParty = (party: AccessParty | undefined): string =>
  party === undefined ? "" : party.kind === "address" ? party.address : party.id;

export function readQuestion(parameters: URLSearchParams): Question {
  const source = parseParty(parameters.get("source"));
  const protocol = checkedProtocols.find((one) => one === parameters.get("protocol")) ?? "TCP";
  return {
    source: source?.kind === "address" ? undefined : source,
    destination: parseParty(parameters.get("destination")),
    protocol,
    port: parameters.get("port") ?? DEFAULT_PORT,
    network: parameters.get("network") ?? undefined,
  };
}

export function portProblem({ protocol, port }: Pick<Question, "protocol" | "port">): string | undefined {
  return protocol === "ICMP" || parsePort(port) !== undefined
    ? undefined
    : "Enter a port from 1 to 65535, or a service such as ssh.";
}

/** The traffic that the question is about. */
export function trafficOf({ protocol, port }: Pick<Question, "protocol" | "port">): AccessTraffic {
  const number = protocol === "ICMP" ? undefined : parsePort(port);
  return { protocol, portRange: number === undefined ? null : { from: number, to: number } };
}

const toDestination = (party: AccessParty): AccessCheck["destination"] => {
  if (party.kind === "host") return { hostID: party.id };
  return party.kind === "role" ? { roleID: party.id } : { address: party.address };
};

function toSource(party: AccessParty, networkID: string | undefined): AccessCheck["source"] | undefined {
  if (party.kind === "host") return { hostID: party.id };
  if (party.kind === "address" || networkID === undefined) return undefined;
  return { networkID, roleID: party.id };
}

/** The request for one direction, or undefined while the question isn't complete. */
export function toCheck(question: Question, networkID: string | undefined): AccessCheck | undefined {
  const source = question.source && toSource(question.source, networkID);
  if (!source || !question.destination || portProblem(question)) return undefined;
  const port = question.protocol === "ICMP" ? null : (parsePort(question.port) ?? null);
  return { source, destination: toDestination(question.destination), protocol: question.protocol, port };
}

/** The question in the other direction. */
export const reverseOf = ({ source, destination, ...question }: Question): Question => ({
  ...question,
  source: destination,
  destination: source,
});

/** An address can only be a destination. */
export const canSwap = ({ destination }: Question): boolean => destination?.kind !== "address";
