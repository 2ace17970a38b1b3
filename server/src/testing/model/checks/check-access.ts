/** Compares the answers about access with the naive evaluation of the model. */
import { type Client, checkAccess, getHostAccess, type HostAccess } from "@lightkeeper/contract";
import { requireParts } from "../call.ts";
import {
  haveCommonFamily,
  isConnected,
  reaches,
  reachesAddress,
  rulesOf,
  type Traffic,
} from "../reachability.ts";
import { hostsIn, type ModelHost, type ModelNetwork, type Organization } from "../state.ts";

const TRAFFIC: Traffic[] = [
  { protocol: "TCP", port: 22 },
  { protocol: "TCP", port: 8005 },
  { protocol: "UDP", port: 443 },
  { protocol: "ICMP", port: null },
];

async function requirePairs(
  call: Client,
  organization: Organization,
  network: ModelNetwork,
  traffic: Traffic,
): Promise<void> {
  const hosts = hostsIn(organization, network.id);
  const everyone = { roleID: null, tags: [] };
  const answer = await call(checkAccess, {
    body: { source: { networkID: network.id, ...everyone }, destination: everyone, ...traffic },
  });
  const pairs = hosts.flatMap((source) => hosts.map((destination) => ({ source, destination })));
  const allowed = pairs.filter(({ source, destination }) =>
    reaches(organization, source, destination, traffic),
  );
  const isAlone = hosts.length === 1;
  requireParts(`checkAccess in ${network.id} for ${JSON.stringify(traffic)}`, answer, {
    pairCount: isAlone ? 1 : hosts.length * (hosts.length - 1),
    allowedPairCount: allowed.length,
  });
}

/** An address inside a subnet. */
const addressIn = (subnet: string): string => {
  const [base = ""] = subnet.split("/");
  return base.includes(":") ? `${base}a` : base.replace(/\d+$/, (last) => String(Number(last) + 2));
};

async function requireAddresses(
  call: Client,
  organization: Organization,
  network: ModelNetwork,
  traffic: Traffic,
): Promise<void> {
  const hosts = hostsIn(organization, network.id);
  const subnets = new Set(organization.routes.flatMap((route) => Object.keys(route.routableCIDRs)));
  for (const subnet of subnets) {
    const address = addressIn(subnet);
    const answer = await call(checkAccess, {
      body: {
        source: { networkID: network.id, roleID: null, tags: [] },
        destination: { address },
        ...traffic,
      },
    });
    const allowedPairCount = hosts.filter((host) =>
      reachesAddress(organization, host, address, traffic),
    ).length;
    requireParts(`checkAccess from ${network.id} to ${address} for ${JSON.stringify(traffic)}`, answer, {
      allowedPairCount,
    });
  }
}

/** Whether any rule of the destination allows the source. */
function hasAnyAccess(organization: Organization, source: ModelHost, destination: ModelHost): boolean {
  if (source.id === destination.id || !haveCommonFamily(source, destination)) return false;
  if (!isConnected(organization, source) || !isConnected(organization, destination)) return false;
  return rulesOf(organization, destination).some(
    ({ allowedRoleID, allowedTags = [] }) =>
      (allowedRoleID === null || allowedRoleID === source.roleID) &&
      allowedTags.every((tag) => source.tags.includes(tag)),
  );
}

const idsOf = (groups: HostAccess["inbound"]): string[] =>
  groups.flatMap(({ group }) => group.hosts.map(({ id }) => id)).toSorted();

async function requireHost(call: Client, organization: Organization, host: ModelHost): Promise<void> {
  const { inbound, outbound } = await call(getHostAccess, { params: { hostID: host.id } });
  const others = hostsIn(organization, host.networkID);
  const expectIDs = (matches: (other: ModelHost) => boolean) =>
    others
      .filter(matches)
      .map(({ id }) => id)
      .toSorted();
  const expected = {
    inbound: expectIDs((other) => hasAnyAccess(organization, other, host)),
    outbound: expectIDs((other) => hasAnyAccess(organization, host, other)),
  };
  requireParts(
    `getHostAccess of ${host.id}`,
    { inbound: idsOf(inbound), outbound: idsOf(outbound) },
    expected,
  );
}

async function requireNetwork(
  call: Client,
  organization: Organization,
  network: ModelNetwork,
): Promise<void> {
  if (hostsIn(organization, network.id).length === 0) return;
  for (const traffic of TRAFFIC) await requirePairs(call, organization, network, traffic);
  await requireAddresses(call, organization, network, TRAFFIC[0]!);
}

export async function checkAccessAnswers(call: Client, organization: Organization): Promise<void> {
  await Promise.all([
    ...organization.networks.map((network) => requireNetwork(call, organization, network)),
    ...organization.hosts.map((host) => requireHost(call, organization, host)),
  ]);
}
