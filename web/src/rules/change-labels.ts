import { formatPorts, serviceLabel, type PortRange } from "./ports.ts";
import { allPorts, isWithin } from "./port-ranges.ts";
import { trafficTypes, type RuleChange } from "./rule-changes.ts";

const list = new Intl.ListFormat("en");

type Ranges = readonly PortRange[];

const isAllPorts = ([first]: Ranges) => first !== undefined && isWithin(allPorts, first);
const isSame = (one: Ranges, other: Ranges) => one.map(formatPorts).join() === other.map(formatPorts).join();

function portsLabel(protocol: string, ranges: Ranges): string {
  if (isAllPorts(ranges)) return `all ${protocol}`;
  return `${protocol} ${list.format(ranges.map(formatPorts))}`;
}

/** "TCP 443 (HTTPS)", "TCP 80 and 443", "all UDP and ICMP", "everything". */
export function trafficLabel({ traffic }: Pick<RuleChange, "traffic">): string {
  const { TCP, UDP, ICMP, OTHER } = traffic;
  if (trafficTypes.every((trafficType) => isAllPorts(traffic[trafficType]))) return "everything";
  const ported =
    TCP.length > 0 && isSame(TCP, UDP)
      ? [portsLabel("TCP and UDP", TCP)]
      : [TCP.length > 0 && portsLabel("TCP", TCP), UDP.length > 0 && portsLabel("UDP", UDP)];
  const parts = [...ported, ICMP.length > 0 && "ICMP", OTHER.length > 0 && "other protocols"].filter(
    (part) => part !== false,
  );
  const service = parts.length === 1 ? serviceOf(traffic) : undefined;
  return list.format(parts) + (service ? ` (${service})` : "");
}

function serviceOf({ TCP, UDP, ICMP }: RuleChange["traffic"]): string | undefined {
  if (ICMP.length > 0) return "ping";
  const [range, ...others] = TCP.length > 0 ? TCP : UDP;
  if (!range || others.length > 0) return undefined;
  return serviceLabel(TCP.length === 0 ? "UDP" : UDP.length === 0 ? "TCP" : "ANY", range);
}

const SHOWN_SUBNETS_MAX = 3;

/** "192.168.4.0/24 and 10.8.0.0/16" */
export function subnetsLabel(subnets: readonly string[]): string {
  const more = subnets.length - SHOWN_SUBNETS_MAX;
  return list.format([...subnets.slice(0, SHOWN_SUBNETS_MAX), ...(more > 0 ? [`${more} more`] : [])]);
}
