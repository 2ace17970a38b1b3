import { PAGE_SIZE_MAX } from "@lightkeeper/contract";
import { downloadHosts } from "../references/download-hosts.ts";
import { type HostNames, hostNamesOf } from "../references/host-names.ts";
import { queryClient } from "../lib/query.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { allRolesQuery } from "../references/roles.queries.ts";

async function loadHostNames(): Promise<HostNames> {
  const [networks, roles] = await Promise.all([
    queryClient.fetchQuery(allNetworksQuery),
    queryClient.fetchQuery(allRolesQuery),
  ]);
  return hostNamesOf(networks, roles);
}

/** Downloads every host, lighthouse and relay as CSV. */
export const exportAllHosts = (): Promise<void> =>
  downloadHosts({
    query: { includeCounts: false, pageSize: PAGE_SIZE_MAX },
    names: loadHostNames(),
    fileName: "hosts.csv",
    noun: "host",
  });
