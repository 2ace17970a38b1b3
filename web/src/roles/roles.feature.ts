import type { Feature } from "../lib/feature.ts";
import { ACCESS_PATH, GUARANTEES_PATH } from "../references/access-paths.ts";
import { ROLE_ADD_PATH, ROLES_PATH } from "../references/role-link.tsx";
import { RoleIcon } from "../ui/base/icons.tsx";

export const roles: Feature = {
  pages: [
    {
      path: ROLES_PATH,
      load: () => import("./roles-page.tsx").then((module) => module.RolesPage),
      sidebar: {
        label: "Roles",
        icon: RoleIcon,
        goKey: "r",
        adds: "role",
        alsoAt: [ACCESS_PATH, GUARANTEES_PATH],
      },
    },
    {
      path: ROLE_ADD_PATH,
      access: "writer",
      load: () => import("./role-add-page.tsx").then((module) => module.RoleAddPage),
    },
    {
      path: `${ROLES_PATH}/:roleID`,
      load: () => import("./role-edit-page.tsx").then((module) => module.RoleEditPage),
    },
  ],
};
