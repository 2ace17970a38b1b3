import { getNetwork, listNetworks, PAGE_SIZE, type Network, type Page } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const networkQuery = (networkID: string) => read(getNetwork, { params: { networkID } });

export const networksPageQuery = (cursor: string | undefined) =>
  read(listNetworks, { query: { includeCounts: true, pageSize: PAGE_SIZE, ...(cursor && { cursor }) } });

/** The number of networks is that of all, on a page of one. */
export const networkCountQuery = read(listNetworks, { query: { includeCounts: true, pageSize: 1 } });

/** The cursor has led to a first page with room left: without it that page is whole again. */
export function isBrokenFirstPage({ metadata }: Page<Network>): boolean {
  return metadata.page?.start === 0 && metadata.page.count < PAGE_SIZE;
}
