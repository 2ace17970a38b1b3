// The traffic that the description of a rule names, such as "SSH from laptops" or "tcp 8443".

import type { FirewallRule } from "../firewall.ts";
import { PORT_MAX } from "../ports.ts";
import type { PortRange } from "./port-ranges.ts";

/** The same as a rule's protocol and ports. */
export interface NamedTraffic {
  readonly protocol: FirewallRule["protocol"];
  /** Null means all ports. */
  readonly portRange: PortRange | null;
}

const tcp = (from: number, to = from): NamedTraffic => ({ protocol: "TCP", portRange: { from, to } });
const udp = (from: number, to = from): NamedTraffic => ({ protocol: "UDP", portRange: { from, to } });
/** TCP and UDP. */
const any = (from: number, to = from): NamedTraffic => ({ protocol: "ANY", portRange: { from, to } });

/** Only names that say what a destination offers: Prometheus, for example, is more often named as a source. */
const SERVICES: readonly (readonly [RegExp, NamedTraffic])[] = [
  [/\bs(?:sh|ftp)\b/i, tcp(22)],
  [/\bhttp\b/i, tcp(80)],
  // HTTP/3 uses UDP.
  [/\bhttps\b/i, any(443)],
  [/\bdns\b/i, any(53)],
  [/\bntp\b/i, udp(123)],
  [/\bsnmp\b/i, udp(161)],
  [/\bldap\b/i, tcp(389)],
  [/\bldaps\b/i, tcp(636)],
  [/\bsmb\b/i, tcp(445)],
  [/\bnfs\b/i, any(2049)],
  [/\brdp\b/i, any(3389)],
  [/\bvnc\b/i, tcp(5900)],
  [/\b(?:postgres(?:ql)?)\b/i, tcp(5432)],
  [/\b(?:mysql|mariadb)\b/i, tcp(3306)],
  [/\bmongo(?:db)?\b/i, tcp(27_017)],
  [/\bredis\b/i, tcp(6379)],
  [/\bmemcached\b/i, tcp(11_211)],
  [/\belasticsearch\b/i, tcp(9200)],
  [/\bkafka\b/i, tcp(9092)],
  [/\b(?:amqp|rabbitmq)\b/i, tcp(5672)],
  [/\bmqtt\b/i, tcp(1883)],
  [/\bnode[ _-]?exporters?\b/i, tcp(9100)],
  [/\b(?:ping|icmp)\b/i, { protocol: "ICMP", portRange: null }],
];

/** "port 8443", "ports 8000-8010", "tcp 8443", "udp/53". */
const PORTS = /\b(ports?|tcp|udp)(?:\s+port)?[\s:/]*(\d{1,5})(?:\s*(?:-|–|to)\s*(\d{1,5}))?\b/gi;
/** "8443/tcp". */
const PORT_FIRST = /\b(\d{1,5})\s*\/\s*(tcp|udp)\b/gi;
const ONLY_PROTOCOL = /\b(?:only\s+(tcp|udp)|(tcp|udp)\s+only)\b/i;
/** Descriptions that name what a rule doesn't allow, or more than they list. */
const UNCLEAR = /\b(?:no|not|non|without|except|besides|all|any|every\w*|etc|more|other\w*)\b/i;

/** Empty if the description names nothing, or not clearly. */
export function findNamedTraffic(description: string): NamedTraffic[] {
  if (UNCLEAR.test(description)) return [];
  const services = SERVICES.filter(([name]) => name.test(description)).map(([, traffic]) => traffic);
  const ports = [
    ...[...description.matchAll(PORTS)].map(([, protocol, from, to]) => readPorts(protocol, from, to)),
    ...[...description.matchAll(PORT_FIRST)].map(([, port, protocol]) => readPorts(protocol, port)),
  ].filter((traffic) => traffic !== undefined);
  // A port says more than the service: "SSH on port 2222".
  const named = ports.length > 0 ? ports : services;
  if (named.length > 0) return removeEqual(named);
  const only = ONLY_PROTOCOL.exec(description);
  return only ? [{ protocol: readProtocol(only[1] ?? only[2]), portRange: null }] : [];
}

function readPorts(protocol?: string, first?: string, last = first): NamedTraffic | undefined {
  const [from, to] = [Number(first), Number(last)];
  const isValid = from >= 1 && to <= PORT_MAX && from <= to;
  return isValid ? { protocol: readProtocol(protocol), portRange: { from, to } } : undefined;
}

function readProtocol(text = ""): FirewallRule["protocol"] {
  const protocol = text.toUpperCase();
  return protocol === "TCP" || protocol === "UDP" ? protocol : "ANY";
}

const removeEqual = (traffic: readonly NamedTraffic[]) => [
  ...new Map(traffic.map((each) => [JSON.stringify(each), each])).values(),
];
