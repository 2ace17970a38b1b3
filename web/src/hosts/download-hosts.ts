import { formatCount } from "../lib/format.ts";
import { toast } from "../ui/feedback/toast.ts";
import type { HostNames } from "./host-names.ts";
import type { HostsQuery } from "../references/hosts.queries.ts";

interface HostsDownload {
  query: HostsQuery;
  names: HostNames | Promise<HostNames>;
  fileName: string;
  /** What to call one of them. */
  noun: string;
}

/** Downloads the hosts as CSV and says whether that worked. */
export async function downloadHosts({ query, names, fileName, noun }: HostsDownload): Promise<void> {
  try {
    const [{ exportHosts }, known] = await Promise.all([import("./export-hosts.ts"), names]);
    const count = await exportHosts(query, known, fileName);
    toast(`${formatCount(count, noun)} exported`, { tone: "ok" });
  } catch {
    toast("The export failed. Try again.", { tone: "danger" });
  }
}
