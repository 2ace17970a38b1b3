import { MAX_PAGE_SIZE } from "@lightkeeper/contract";
import { formatCount } from "../lib/format.ts";
import { queryClient } from "../lib/query.ts";
import { hostNamesOf } from "../hosts/host-names.ts";
import { allNetworksQuery } from "../networks/networks.queries.ts";
import { allRolesQuery } from "../roles/roles.queries.ts";
import { toast } from "../ui/toast.ts";

/** Downloads every host, lighthouse and relay as CSV. */
export async function exportAllHosts(): Promise<void> {
  try {
    const [{ exportHosts }, networks, roles] = await Promise.all([
      import("../hosts/export-hosts.ts"),
      queryClient.fetchQuery(allNetworksQuery),
      queryClient.fetchQuery(allRolesQuery),
    ]);
    const query = { includeCounts: false, pageSize: MAX_PAGE_SIZE };
    const count = await exportHosts(query, hostNamesOf(networks, roles), "hosts.csv");
    toast(`${formatCount(count, "host")} exported`, { tone: "ok" });
  } catch {
    toast("The hosts couldn’t be exported. Try again.", { tone: "danger" });
  }
}
