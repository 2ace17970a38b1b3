import { formatCount } from "../lib/format.ts";
import { toast } from "../ui/feedback/toast.ts";
import type { HostNames } from "./host-names.ts";
import type { HostsQuery } from "./hosts.queries.ts";

interface HostsDownload {
  query: HostsQuery;
  names: HostNames | Promise<HostNames>;
  fileName: string;
  /** "host" */
  noun: string;
}

/** Downloads the hosts as CSV and shows a toast with the result. */
export async function downloadHosts({ query, names, fileName, noun }: HostsDownload): Promise<void> {
  try {
    const [{ exportHosts }, hostNames] = await Promise.all([import("./export-hosts.ts"), names]);
    const count = await exportHosts(query, hostNames, fileName);
    toast(`${formatCount(count, noun)} exported`, { tone: "ok" });
  } catch {
    toast("The export failed. Try again.", { tone: "danger" });
  }
}
