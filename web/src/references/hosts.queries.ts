import { getHostV2, listHostsV2, type HostFilter, type hostSorts } from "@lightkeeper/contract";
import type { ListQuery } from "../lib/list-state.ts";
import { read } from "../lib/query.ts";

export const hostQuery = (hostID: string) => read(getHostV2, { params: { hostID } });

export type HostSort = (typeof hostSorts)[number];

/** A field `status` of a request body is `filter.status` in a query string. */
type FilterQuery = { [Key in keyof HostFilter as `filter.${Key}`]: HostFilter[Key] };

const toFilterQuery = (filter: HostFilter) =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [`filter.${name}`, value])) as FilterQuery;

export const toHostsQuery = (query: ListQuery<HostSort>, filter: HostFilter) => ({
  ...query,
  ...toFilterQuery(filter),
});
export type HostsQuery = ReturnType<typeof toHostsQuery>;

export const hostsPageQuery = (query: HostsQuery) => read(listHostsV2, { query });
