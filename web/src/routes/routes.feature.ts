import type { Feature } from "../lib/feature.ts";
import { ROUTE_ADD_PATH, ROUTES_PATH } from "../references/route-link.tsx";
import { RouteIcon } from "../ui/base/icons.tsx";

export const routes: Feature = {
  pages: [
    {
      path: ROUTES_PATH,
      load: async () => (await import("./routes-page.tsx")).RoutesPage,
      sidebar: { label: "Routes", icon: RouteIcon, goKey: "o", adds: "route" },
    },
    {
      path: ROUTE_ADD_PATH,
      access: "writer",
      load: async () => (await import("./route-add-page.tsx")).RouteAddPage,
    },
    {
      path: `${ROUTES_PATH}/:routeID`,
      load: async () => (await import("./route-edit-page.tsx")).RouteEditPage,
    },
  ],
};
