import { getRole, listRoles, type Role } from "@lightkeeper/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const roleQuery = (roleID: string) => read(getRole, { params: { roleID } });

export const rolesPageQuery = (query: ListQuery) => read(listRoles, { query });

/** The first 500 roles, for pickers and for showing names. Few organizations have more. */
export const allRolesQuery = queryOptions({
  queryKey: keyOf(listRoles, { first: 500 }),
  queryFn: async (): Promise<Role[]> => {
    const roles = await listAll(listRoles, {}, { pages: 1 });
    return roles.toSorted((one, other) => one.name.localeCompare(other.name));
  },
});

/** The name of a role, or undefined until it is loaded. */
export function useRoleName(roleID: string | null): string | undefined {
  const { data: roles } = useQuery({ ...allRolesQuery, enabled: roleID !== null });
  const listed = roles?.find(({ id }) => id === roleID)?.name;
  const { data: role } = useQuery({
    ...roleQuery(roleID ?? ""),
    enabled: roleID !== null && roles !== undefined && listed === undefined,
  });
  return listed ?? role?.name;
}
