import { listRuleLints, type DataOf } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";

export type RuleLints = DataOf<typeof listRuleLints>;

/** The server announces every change of rules also as a change of hosts. */
export const ruleLintsQuery = queryOptions({
  queryKey: keyOf(listRuleLints, {}, "hosts"),
  queryFn: ({ signal }): Promise<RuleLints> => api(listRuleLints, { signal }),
});
