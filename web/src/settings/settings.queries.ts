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

/** Drops search and sort parameters of the URL: the API can neither search nor sort members. */
export const membersPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listMembers, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** For finding a member by ID. */
export const allMembersQuery = queryOptions({
  queryKey: keyOf(listMembers, { all: true }),
  queryFn: (): Promise<Member[]> => listAll(listMembers),
});
