import type { HostState } from "@lightkeeper/contract";

type Omission = HostState["omitted"][number];
type WiderRule = HostState["wider"][number];

const routeReasons: Readonly<Record<Extract<Omission, { kind: "route" }>["reason"], string>> = {
  insideNetwork: "the subnet is inside the range of this network",
  servedByItself: "this host is the router",
  routerOutOfReach: "this host can’t reach the router",
  alwaysInstalled: "this version of Nebula always adds routes to the routing table",
  oneRouterOnly: "this version of Nebula supports one router per subnet",
};

export function describeOmission(omission: Omission): string {
  if (omission.kind === "route") return `Route to ${omission.cidr}: ${routeReasons[omission.reason]}.`;
  const source = omission.source.kind === "tag" ? `tag ${omission.source.name}` : "this host";
  return `Setting ${omission.key} of ${source}: ${omission.sentence}`;
}

function sourceLabel(source: WiderRule["source"]): string {
  if (source.kind === "tag") return `tag ${source.name}`;
  return source.kind === "role" ? "its role" : `route ${source.id}`;
}

const openedLabels: Readonly<Record<WiderRule["opens"], string>> = {
  routedNetworks: "the subnets it routes to",
  routerAndAllRoutedNetworks: "the router itself and all subnets it routes to",
};

export const describeWiderRule = ({ source, index, opens }: WiderRule): string =>
  `Rule ${index + 1} of ${sourceLabel(source)}: this host’s version of Nebula would also open ${openedLabels[opens]}. Unless the route accepts this, the host doesn’t serve its routes.`;
