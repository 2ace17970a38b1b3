/** Loaded on demand. */
import { listHostsV2, PAGE_SIZE_MAX, type HostV2 } from "@lightkeeper/contract";
import { api } from "../lib/api.ts";
import { escapeFormula, toCsv } from "../lib/csv.ts";
import { downloadText } from "../lib/download.ts";
import type { HostNames } from "./host-names.ts";
import type { HostsQuery } from "./hosts.queries.ts";

const header = [
  "name",
  "id",
  "addresses",
  "network",
  "role",
  "tags",
  "statuses",
  "last seen",
  "agent version",
  "nebula version",
  "static addresses",
  "listen port",
  "created",
  "description",
  "owner",
];

function toRow(host: HostV2, { networkName, roleName }: HostNames): string[] {
  const { metadata } = host;
  return [
    host.name,
    host.id,
    host.ipAddresses.join(" "),
    networkName(host.networkID) ?? host.networkID,
    host.roleID === null ? "" : (roleName(host.roleID) ?? host.roleID),
    host.tags.join(" "),
    metadata.statuses.join(" "),
    metadata.lastSeenAt ?? "",
    metadata.agent?.version ?? metadata.version ?? "",
    metadata.agent?.nebulaVersion ?? "",
    host.staticAddresses.join(" "),
    String(host.listenPort),
    host.createdAt,
    host.description,
    host.owner,
  ];
}

/** Exports every matching host, not only the current page, and returns their number. */
export async function exportHosts(query: HostsQuery, names: HostNames, fileName: string): Promise<number> {
  const rows: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await api(listHostsV2, {
      query: { ...query, includeCounts: false, pageSize: PAGE_SIZE_MAX, cursor },
    });
    for (const host of page.data) rows.push(toRow(host, names).map(escapeFormula));
    cursor = page.metadata.hasNextPage ? page.metadata.nextCursor : undefined;
  } while (cursor);
  downloadText(fileName, toCsv([header, ...rows]), "text/csv");
  return rows.length;
}
