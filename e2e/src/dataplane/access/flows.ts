/** Every flow of a random network that can be probed. */
import { type AccessNetwork, checkFlow, type Flow, type Traffic } from "@lightkeeper/nebula/access";
import { IPV6_LAN_ADDRESSES, LAN_ADDRESSES, PORTS } from "./random-network.ts";

/** A UDP message that needs more than one packet also needs a rule for later fragments. */
export type ProbeTraffic = Traffic & { isLarge?: boolean };

export interface ProbedFlow {
  sourceID: string;
  destination: string;
  traffic: ProbeTraffic;
  isExpected: boolean;
}

const WITH_PORTS: readonly ProbeTraffic[] = PORTS.flatMap((port): ProbeTraffic[] => [
  { protocol: "TCP", port },
  { protocol: "UDP", port },
]);
const WITHOUT_PORTS: readonly ProbeTraffic[] = [
  { protocol: "ICMP" },
  { protocol: "UDP", port: PORTS[0], isLarge: true },
];

/**
 * Packets without ports go in one direction only. Nebula can't distinguish later fragments, and before 1.11 pings, from
 * replies: a host that has sent one accepts them from the other host too, whatever the rules.
 */
export function flowsOf(network: AccessNetwork): ProbedFlow[] {
  const { hosts, routes } = network;
  return hosts.flatMap((source, index) => {
    const isRouter = routes.some(({ routerHostID }) => routerHostID === source.id);
    // A router reaches the machines behind it without Nebula.
    const behindRouter = isRouter ? [] : listLanAddresses(network);
    const addressesOf = (some: typeof hosts) => [
      ...some.flatMap(({ addresses }) => addresses),
      ...behindRouter,
    ];
    const pairs = [
      ...addressesOf(hosts.filter((host) => host !== source)).map((to) => [to, WITH_PORTS] as const),
      ...addressesOf(hosts.slice(index + 1)).map((to) => [to, WITHOUT_PORTS] as const),
    ];
    return pairs.flatMap(([destination, traffic]) =>
      traffic.map((each) => ({
        sourceID: source.id,
        destination,
        traffic: each,
        isExpected: isExpected(network, { source, destination, traffic: each }),
      })),
    );
  });
}

const listLanAddresses = ({ cidrs }: AccessNetwork): string[] =>
  cidrs.flatMap((cidr) => (cidr.includes(":") ? IPV6_LAN_ADDRESSES : LAN_ADDRESSES));

function isExpected(network: AccessNetwork, flow: Flow & { traffic: ProbeTraffic }): boolean {
  const isAllowed = (traffic: Traffic) => checkFlow(network, { ...flow, traffic }).isAllowed;
  if (!isAllowed(flow.traffic)) return false;
  return !flow.traffic.isLarge || isAllowed({ protocol: "UDP", isFragment: true });
}
