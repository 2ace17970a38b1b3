import { listRoles, type Role } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { commandsFrom, searchOptions, searchQuery } from "../on-demand/palette-search.ts";
import { rolePath } from "../references/role-link.tsx";
import { RoleIcon } from "../ui/base/icons.tsx";

const roleCommand = ({ id, name, description }: Role): Command => ({
  label: name,
  description,
  icon: RoleIcon,
  to: rolePath(id),
});

export function useRoleSearch(search: PaletteSearch): PaletteMatches {
  const roles = useQuery({ ...read(listRoles, { query: searchQuery(search) }), ...searchOptions(search) });
  return { group: { label: "Roles", commands: commandsFrom(roles, roleCommand, search) }, queries: [roles] };
}
