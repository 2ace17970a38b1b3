import type { Feature } from "../lib/feature.ts";
import { ROLE_ADD_PATH, ROLES_PATH } from "../references/role-link.tsx";
import { RoleIcon } from "../ui/base/icons.tsx";

export const roles: Feature = {
  pages: [
    {
      path: ROLES_PATH,
      load: async () => (await import("./roles-page.tsx")).RolesPage,
      sidebar: { label: "Roles", icon: RoleIcon, goKey: "r", adds: "role" },
    },
    {
      path: ROLE_ADD_PATH,
      access: "writer",
      load: async () => (await import("./role-add-page.tsx")).RoleAddPage,
    },
    {
      path: `${ROLES_PATH}/:roleID`,
      load: async () => (await import("./role-edit-page.tsx")).RoleEditPage,
    },
  ],
};
