import type { Feature } from "../lib/feature.ts";
import { ROUTE_ADD_PATH, ROUTES_PATH } from "../references/route-link.tsx";
import { RouteIcon } from "../ui/base/icons.tsx";

export const routes: Feature = {
  pages: [
    {
      path: ROUTES_PATH,
      load: () => import("./routes-page.tsx").then((module) => module.RoutesPage),
      sidebar: { label: "Routes", icon: RouteIcon, goKey: "o", adds: "route" },
    },
    {
      path: ROUTE_ADD_PATH,
      access: "writer",
      load: () => import("./route-add-page.tsx").then((module) => module.RouteAddPage),
    },
    {
      path: `${ROUTES_PATH}/:routeID`,
      load: () => import("./route-edit-page.tsx").then((module) => module.RouteEditPage),
    },
  ],
};
