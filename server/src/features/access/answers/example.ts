/** One connection that is allowed or denied, with the reasons. */
import type { AccessExample } from "@lightkeeper/contract";
import {
  type AccessHost,
  type AccessNetwork,
  indexNetwork,
  type Traffic,
  verdict,
} from "@lightkeeper/nebula/access";
import type { LoadedNetwork } from "./loaded-network.ts";
import { presentFailedCheck, presentHost, presentRule, presentSmallestRule } from "./present.ts";

/** Whether hosts run their newest configuration, by ID; without an entry, a host hasn't reported any. */
export type HostSync = ReadonlyMap<string, boolean>;

export interface ExampleConnection {
  readonly source: AccessHost;
  readonly address: string;
  readonly traffic: Traffic;
  /** The destination, if it is in another network. */
  readonly foreignHost: AccessHost | undefined;
}

export async function presentExample(
  loaded: LoadedNetwork,
  { source, address, traffic, foreignHost }: ExampleConnection,
  readHostSync: (hostIDs: readonly string[]) => Promise<HostSync>,
): Promise<AccessExample> {
  const decided = foreignHost ? undefined : decide(loaded, { source, address, traffic });
  const destination = foreignHost ?? indexNetwork(loaded.network).byAddress.get(address);
  const hosts = [source, decided?.host ?? destination].filter((host) => host !== undefined);
  return {
    source: presentHost(source),
    destination: { host: destination ? presentHost(destination) : null, address },
    ...(decided?.presented ?? IN_OTHER_NETWORK),
    isInSync: combineSync(await readHostSync(hosts.map(({ id }) => id)), hosts),
    certificateExpiresAt: findFirstExpiry(hosts),
  };
}

type Decision = Omit<AccessExample, "source" | "destination" | "isInSync" | "certificateExpiresAt">;

const IN_OTHER_NETWORK: Decision = {
  isAllowed: false,
  failedCheck: { kind: "otherNetwork", host: null },
  decidingHost: null,
  ruleCount: 0,
  route: null,
  rules: [],
  smallestRule: null,
};

function decide(
  loaded: LoadedNetwork,
  { source, address, traffic }: Omit<ExampleConnection, "foreignHost">,
): { host: AccessHost | undefined; presented: Decision } {
  const { isAllowed, failedCheck, host, route, rules, smallestRule } = verdict(loaded.network, {
    source,
    destination: address,
    traffic,
  });
  const presented: Decision = {
    isAllowed,
    failedCheck: failedCheck ? presentFailedCheck(loaded, failedCheck) : null,
    decidingHost: host ? presentHost(host) : null,
    ruleCount: host ? countRules(loaded.network, host) : 0,
    route: route ? { subnet: route.subnet, routers: route.routers.map(presentHost) } : null,
    rules: rules.map((rule) => presentRule(loaded, rule, host)),
    smallestRule: smallestRule ? presentSmallestRule(loaded, smallestRule) : null,
  };
  return { host, presented };
}

function countRules({ roles, tags, routes }: AccessNetwork, { id, roleID, tags: names }: AccessHost): number {
  const ofRole = roleID === null ? [] : (roles.get(roleID) ?? []);
  const ofTags = names.flatMap((name) => tags.get(name)?.firewallRules ?? []);
  const ofRoutes = routes
    .filter(({ routerHostID }) => routerHostID === id)
    .flatMap(({ firewallRules }) => firewallRules);
  return ofRole.length + ofTags.length + ofRoutes.length;
}

function combineSync(sync: HostSync, hosts: readonly AccessHost[]): boolean | null {
  const states = hosts.map(({ id }) => sync.get(id));
  return states.includes(undefined) ? null : states.every((isInSync) => isInSync === true);
}

/** Null if one of the hosts has no certificate. */
function findFirstExpiry(hosts: readonly AccessHost[]): string | null {
  const times = hosts.map(({ certificate }) => certificate?.expiresAt.getTime());
  if (times.includes(undefined)) return null;
  return new Date(Math.min(...times.map(Number))).toISOString();
}
