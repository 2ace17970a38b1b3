import { checkGuarantee, getGuarantee, listGuarantees, type BodyInputOf } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export type GuaranteeInput = BodyInputOf<typeof checkGuarantee>;
export type GuaranteeListState = "failing" | "suspended" | "holds" | "noHosts";

interface GuaranteeFilter {
  "filter.state"?: GuaranteeListState;
  "filter.networkID"?: string;
}

export const guaranteesPageQuery = (query: ListQuery & GuaranteeFilter) => read(listGuarantees, { query });

export const guaranteeQuery = (guaranteeID: string) => read(getGuarantee, { params: { guaranteeID } });

/** Whether a guarantee would hold. Changes of guarantees refetch the result like any other query of the noun. */
export const guaranteeCheckQuery = (body: GuaranteeInput) =>
  queryOptions({
    queryKey: keyOf(checkGuarantee, body),
    queryFn: ({ signal }) => api(checkGuarantee, { body, signal }),
  });
