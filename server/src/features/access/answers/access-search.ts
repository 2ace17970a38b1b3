/** A search for hosts, roles and tags by name, or for traffic by protocol or port. */
import { trafficProtocols } from "@lightkeeper/contract";
import type { TrafficRange } from "@lightkeeper/nebula/access";
import type { LoadedNetwork } from "./loaded-network.ts";
import type { HostGroup } from "./present.ts";
import { PORT_MAX } from "@lightkeeper/contract/limits";
import { includesTraffic } from "./traffic.ts";

export interface AccessSearch {
  /** Whether the text may be meant as a protocol or a port. */
  readonly isTraffic: boolean;
  matchesText(text: string): boolean;
  matchesGroup(loaded: LoadedNetwork, group: HostGroup): boolean;
  matchesTraffic(ranges: readonly TrafficRange[]): boolean;
}

export const includesPort = (ranges: readonly TrafficRange[], port: number): boolean =>
  (["TCP", "UDP"] as const).some((protocol) => includesTraffic(ranges, { protocol, port }));

function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= PORT_MAX ? port : undefined;
}

/** Undefined without a text. */
export function parseSearch(given: string | undefined): AccessSearch | undefined {
  const text = given?.trim().toLowerCase() ?? "";
  if (text === "") return undefined;
  const port = parsePort(text);
  const protocol = trafficProtocols.find((each) => each.toLowerCase() === text);
  const matchesText = (name: string) => name.toLowerCase().includes(text);
  return {
    isTraffic: port !== undefined || protocol !== undefined,
    matchesText,
    matchesGroup: ({ roleNames }, { roleID, hosts }) =>
      (roleID !== null && matchesText(roleNames.get(roleID) ?? "")) ||
      hosts.some(({ name, tags }) => matchesText(name) || tags.some(matchesText)),
    matchesTraffic: (ranges) =>
      ranges.some((range) => range.protocol === protocol) ||
      (port !== undefined && includesPort(ranges, port)),
  };
}
