import type { Feature } from "../lib/feature.ts";
import { ACCESS_MATRIX_PATH, ACCESS_PATH } from "../references/access-paths.ts";
import { hostKinds } from "../references/host-link.tsx";

export const access: Feature = {
  pages: [
    {
      path: ACCESS_PATH,
      load: () => import("./access-page.tsx").then((module) => module.AccessPage),
    },
    {
      path: ACCESS_MATRIX_PATH,
      load: () => import("./matrix-page.tsx").then((module) => module.MatrixPage),
    },
    ...Object.values(hostKinds).map(({ path }) => ({
      within: `${path}/:hostID`,
      path: "access",
      load: () => import("./host-access.tsx").then((module) => module.HostAccess),
    })),
  ],
};
