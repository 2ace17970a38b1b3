import { formatPorts, serviceLabel, type PortRange } from "./ports.ts";
import { everyPort, isWithin } from "./port-ranges.ts";
import { lanes, type RuleChange } from "./rule-changes.ts";

const list = new Intl.ListFormat("en");

type Ranges = readonly PortRange[];

const isEvery = ([first]: Ranges) => first !== undefined && isWithin(everyPort, first);
const isSame = (one: Ranges, other: Ranges) => one.map(formatPorts).join() === other.map(formatPorts).join();

function portWords(protocol: string, ranges: Ranges): string {
  if (isEvery(ranges)) return `all ${protocol}`;
  return `${protocol} ${list.format(ranges.map(formatPorts))}`;
}

/** "TCP 443 (HTTPS)", "TCP 80 and 443", "all UDP and ICMP", "everything". */
export function trafficWords({ traffic }: Pick<RuleChange, "traffic">): string {
  const { TCP, UDP, ICMP, OTHER } = traffic;
  if (lanes.every((lane) => isEvery(traffic[lane]))) return "everything";
  const ported =
    TCP.length > 0 && isSame(TCP, UDP)
      ? [portWords("TCP and UDP", TCP)]
      : [TCP.length > 0 && portWords("TCP", TCP), UDP.length > 0 && portWords("UDP", UDP)];
  const words = [...ported, ICMP.length > 0 && "ICMP", OTHER.length > 0 && "other protocols"].filter(
    (word) => word !== false,
  );
  const service = words.length === 1 ? serviceOf(traffic) : undefined;
  return list.format(words) + (service ? ` (${service})` : "");
}

function serviceOf({ TCP, UDP, ICMP }: RuleChange["traffic"]): string | undefined {
  if (ICMP.length > 0) return "ping";
  const [range, ...others] = TCP.length > 0 ? TCP : UDP;
  if (!range || others.length > 0) return undefined;
  return serviceLabel(TCP.length === 0 ? "UDP" : UDP.length === 0 ? "TCP" : "ANY", range);
}

const NETWORKS_SHOWN = 3;

/** "192.168.4.0/24 and 10.8.0.0/16" */
export function networkWords(networks: readonly string[]): string {
  const more = networks.length - NETWORKS_SHOWN;
  return list.format([...networks.slice(0, NETWORKS_SHOWN), ...(more > 0 ? [`${more} more`] : [])]);
}
