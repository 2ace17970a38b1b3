import {
  checkAccess,
  getAccessMatrix,
  getHostAccess,
  type AccessAnswer,
  type AccessRule,
  type BodyInputOf,
  type Endpoint,
  type QueryOf,
} from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";

/** The server announces every change of rules, tags, routes and certificates also as a change of hosts. */
const accessKey = (endpoint: Endpoint, input: object) => keyOf(endpoint, input, "hosts");

export type AccessCheck = BodyInputOf<typeof checkAccess>;

export const checkQuery = (body: AccessCheck) =>
  queryOptions({
    queryKey: accessKey(checkAccess, body),
    queryFn: ({ signal }): Promise<AccessAnswer> => api(checkAccess, { body, signal }),
  });

const identify = ({ source, index }: AccessRule) => `${source.type} ${source.id} ${index}`;

export interface FoundRules {
  rules: AccessRule[];
  /** The pair of hosts that the rules are for. */
  pairIndex: number;
}

/** The connections of several pairs of hosts: the rules of the first pair that can connect, each once. */
export const rulesQuery = (pairs: readonly (readonly AccessCheck[])[]) =>
  queryOptions({
    queryKey: accessKey(checkAccess, { pairs }),
    queryFn: async ({ signal }): Promise<FoundRules> => {
      for (const [pairIndex, checks] of pairs.entries()) {
        const answers = await Promise.all(checks.map((body) => api(checkAccess, { body, signal })));
        const found = answers.flatMap(({ example }) => example?.rules ?? []);
        const rules = [...new Map(found.map((rule) => [identify(rule), rule])).values()];
        if (rules.length > 0) return { rules, pairIndex };
      }
      return { rules: [], pairIndex: 0 };
    },
  });

export const hostAccessQuery = (hostID: string, search: string) => {
  const input = { params: { hostID }, query: search ? { "filter.search": search } : {} };
  return queryOptions({
    queryKey: accessKey(getHostAccess, input),
    queryFn: ({ signal }) => api(getHostAccess, { ...input, signal }),
  });
};

export type MatrixQuery = Partial<QueryOf<typeof getAccessMatrix>>;

export const matrixQuery = (networkID: string, query: MatrixQuery) =>
  queryOptions({
    queryKey: accessKey(getAccessMatrix, { networkID, query }),
    queryFn: ({ signal }) => api(getAccessMatrix, { params: { networkID }, query, signal }),
  });
