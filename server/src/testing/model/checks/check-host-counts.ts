/** Compares filtered lists of hosts, and their counts, with the model. */
import { type Client, listHostsV2 } from "@lightkeeper/contract";
import { Mismatch, requireParts } from "../call.ts";
import type { ModelHost, Organization } from "../state.ts";
import { byID, readList } from "./check-lists.ts";

type Matches = (host: ModelHost) => boolean;

/** The counts of filtered lists come from a table of their own. */
export async function checkHostCounts(call: Client, organization: Organization): Promise<void> {
  const { hosts, networks, roles, tags } = organization;
  const filters: [object, Matches][] = [
    ...networks.map(({ id }): [object, Matches] => [
      { "filter.networkID": id },
      (host) => host.networkID === id,
    ]),
    ...roles.map(({ id }): [object, Matches] => [{ "filter.roleID": id }, ({ roleID }) => roleID === id]),
    ...tags.map(({ name }): [object, Matches] => [
      { "filter.tag": name },
      (host) => host.tags.includes(name),
    ]),
    [{ "filter.isBlocked": true }, ({ isBlocked }) => isBlocked],
    [{ "filter.isLighthouse": true }, ({ isLighthouse }) => isLighthouse],
    [{ "filter.status": "neverEnrolled" }, ({ wasEnrolled, isBlocked }) => !wasEnrolled && !isBlocked],
  ];
  for (const [filter, matches] of filters) {
    const { data, metadata } = await readList(call, listHostsV2, filter);
    const expected = hosts.filter(matches).map(({ id }) => ({ id }));
    requireParts(`listHosts ${JSON.stringify(filter)}`, data.toSorted(byID), expected.toSorted(byID));
    if (metadata.totalCount !== expected.length)
      throw new Mismatch(
        `listHosts ${JSON.stringify(filter)}: the count is ${metadata.totalCount} instead of ${expected.length}`,
      );
  }
}
