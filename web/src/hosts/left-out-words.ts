import type { HostState } from "@lightkeeper/contract";

type LeftOut = HostState["omitted"][number];
type Wider = HostState["wider"][number];

const routeReasons: Readonly<Record<Extract<LeftOut, { kind: "route" }>["reason"], string>> = {
  insideNetwork: "it lies inside the network itself",
  servedByItself: "this host serves it itself",
  routerOutOfReach: "its router is out of this host's reach",
  alwaysInstalled: "this Nebula always installs routes into the system’s table",
  oneRouterOnly: "this Nebula takes one router for a network only",
};

export function leftOutWords(one: LeftOut): string {
  if (one.kind === "route") return `Route to ${one.cidr}: ${routeReasons[one.reason]}.`;
  const source = one.source.kind === "tag" ? `tag ${one.source.name}` : "this host";
  return `Override ${one.key} of ${source}: ${one.sentence}`;
}

function sourceWords(source: Wider["source"]): string {
  if (source.kind === "tag") return `the tag ${source.name}`;
  return source.kind === "role" ? "its role" : `the route ${source.id}`;
}

const opened: Readonly<Record<Wider["opens"], string>> = {
  routedNetworks: "the networks it routes to",
  routerAndAllRoutedNetworks: "the router itself and all networks it routes to",
};

export const widerWords = ({ source, index, opens }: Wider): string =>
  `Rule ${index + 1} of ${sourceWords(source)}: this host’s Nebula would open ${opened[opens]} too. Unless the route accepts that, the host serves no routes.`;
