import { getApiKey, listApiKeys } from "@lightkeeper/contract";
import type { ListQuery } from "../lib/list-state.ts";
import { read } from "../lib/query.ts";

export const apiKeyQuery = (apiKeyID: string) => read(getApiKey, { params: { apiKeyID } });

/** Whatever else an address says, the API neither searches nor sorts keys. */
export const apiKeysPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listApiKeys, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });
