import type { Role } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export const ROLES_PATH = "/roles";
export const ROLE_ADD_PATH = "/roles/add";
export const rolePath = (id: string) => `${ROLES_PATH}/${encodeURIComponent(id)}`;

/** The query parameter that names the role to copy. */
export const COPY_PARAMETER = "copy";
export const roleCopyPath = (id: string) =>
  `${ROLE_ADD_PATH}?${new URLSearchParams({ [COPY_PARAMETER]: id })}`;

/** The breadcrumbs of a role's pages. */
export const roleCrumbs = [{ label: "Roles", to: ROLES_PATH }];

export function RoleLink({ role }: { role: Pick<Role, "id" | "name"> }) {
  return <NameLink to={rolePath(role.id)}>{role.name}</NameLink>;
}
