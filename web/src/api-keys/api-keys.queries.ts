import { type ApiKey, getApiKey, listApiKeys } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const apiKeyQuery = (apiKeyID: string) => read(getApiKey, { params: { apiKeyID } });

/** Drops search and sort parameters of the URL: the API can neither search nor sort keys. */
export const apiKeysPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listApiKeys, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** An organization has at most 500 keys, which is one page. */
export const allApiKeysQuery = queryOptions({
  queryKey: keyOf(listApiKeys, { all: true }),
  queryFn: (): Promise<ApiKey[]> => listAll(listApiKeys, {}, { pages: 1 }),
});
