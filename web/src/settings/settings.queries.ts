import {
  getTotpAuthenticator,
  listMembers,
  listSessions,
  listTotpAuthenticators,
  type Member,
} from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const authenticatorsQuery = read(listTotpAuthenticators);
export const authenticatorQuery = (totpID: string) => read(getTotpAuthenticator, { params: { totpID } });

export const sessionsQuery = read(listSessions);

/** Whatever else an address says, the API neither searches nor sorts members. */
export const membersPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listMembers, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** For finding one by id. */
export const allMembersQuery = queryOptions({
  queryKey: keyOf(listMembers, { all: true }),
  queryFn: (): Promise<Member[]> => listAll(listMembers),
});
