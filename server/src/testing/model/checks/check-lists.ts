/** Compares every list of the API, and its counts, with the model. */
import {
  type Client,
  type Endpoint,
  getRoute,
  getTag,
  listApiKeys,
  listCertificateAuthorities,
  listGuarantees,
  listHostsV2,
  listMembers,
  listNetworksV2,
  listNotificationChannels,
  listNotificationRules,
  listRoles,
  listRoutes,
  listTags,
  PAGE_SIZE_MAX,
} from "@lightkeeper/contract";
import { Mismatch, requireParts } from "../call.ts";
import { respondGuarantee } from "../calls/guarantees.ts";
import { presentHost } from "../calls/hosts.ts";
import { respondNetwork } from "../calls/networks.ts";
import type { Organization } from "../state.ts";

interface Listed {
  data: { id: string }[];
  metadata: { totalCount?: number };
}

export async function readList(call: Client, endpoint: Endpoint, query: object = {}): Promise<Listed> {
  const page = { includeCounts: true, pageSize: PAGE_SIZE_MAX, ...query };
  return (await call(endpoint, { query: page } as never)) as unknown as Listed;
}

export const byID = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** Without an order, because objects that were created at the same time may have any. */
async function requireList(
  call: Client,
  [name, endpoint]: [string, Endpoint],
  expected: readonly { id: string }[],
): Promise<void> {
  const { data, metadata } = await readList(call, endpoint);
  requireParts(name, data.toSorted(byID), expected.toSorted(byID));
  if (metadata.totalCount !== expected.length)
    throw new Mismatch(`${name}: the count is ${metadata.totalCount} instead of ${expected.length}`);
}

const countTagged = ({ hosts }: Organization, tag: string) =>
  hosts.filter(({ tags }) => tags.includes(tag)).length;

/** Lists contain only the number of rules. */
async function requireRules(call: Client, { tags, routes }: Organization): Promise<void> {
  for (const { name, firewallRules } of tags)
    requireParts(`getTag ${name}`, await call(getTag, { params: { tag: name } }), { firewallRules });
  for (const { id, firewallRules } of routes)
    requireParts(`getRoute ${id}`, await call(getRoute, { params: { routeID: id } }), { firewallRules });
}

/** In the order of their priority. */
async function requireTags(call: Client, organization: Organization): Promise<void> {
  const { data } = await readList(call, listTags);
  requireParts(
    "listTags",
    data,
    organization.tags.map(({ firewallRules, ...tag }) => ({
      ...tag,
      routeSubscriptions: tag.routeSubscriptions.toSorted(),
      firewallRulesCount: firewallRules.length,
      hostCount: countTagged(organization, tag.name),
    })),
  );
}

async function requireCertificateAuthorities(call: Client, { networks }: Organization): Promise<void> {
  const { data } = await readList(call, listCertificateAuthorities);
  const trusted = (data as unknown as { id: string; state: string }[]).filter(
    ({ state }) => state !== "RETIRED",
  );
  requireParts(
    "listCertificateAuthorities without retired ones",
    trusted.map(({ id }) => id).toSorted(),
    networks.flatMap(({ trustedCAIDs }) => trustedCAIDs).toSorted(),
  );
}

export async function checkLists(call: Client, organization: Organization): Promise<void> {
  const { networks, hosts, roles, routes, guarantees, members, keys } = organization;
  const expected: [string, Endpoint, { id: string }[]][] = [
    ["listNetworks", listNetworksV2, networks.map(({ id }) => respondNetwork(organization, id))],
    ["listHosts", listHostsV2, hosts.map((host) => ({ ...presentHost(host), id: host.id }))],
    [
      "listRoles",
      listRoles,
      roles.map((role) => ({ ...role, hostCount: hosts.filter(({ roleID }) => roleID === role.id).length })),
    ],
    [
      "listRoutes",
      listRoutes,
      routes.map(({ firewallRules, routerHostID, ...route }) => ({
        ...route,
        ...(routerHostID !== null && { routerHostID }),
        firewallRulesCount: firewallRules.length,
      })),
    ],
    ["listGuarantees", listGuarantees, guarantees.map(({ id }) => respondGuarantee(organization, id))],
    ["listMembers", listMembers, members],
    ["listApiKeys", listApiKeys, keys.map(({ id, name, scopes }) => ({ id, name, scopes }))],
    ["listNotificationChannels", listNotificationChannels, organization.channels],
    ["listNotificationRules", listNotificationRules, organization.notificationRules],
  ];
  await Promise.all([
    ...expected.map(([name, endpoint, list]) => requireList(call, [name, endpoint], list)),
    requireTags(call, organization),
    requireRules(call, organization),
    requireCertificateAuthorities(call, organization),
  ]);
}
