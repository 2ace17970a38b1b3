import type { Feature } from "../lib/feature.ts";
import { hostKinds } from "../references/host-link.tsx";

export const enrollment: Feature = {
  pages: Object.values(hostKinds).flatMap(({ path }) => [
    {
      path: `${path}/:hostID/enroll`,
      access: "writer",
      load: () => import("./enroll-page.tsx").then((module) => module.EnrollPage),
    },
    {
      path: `${path}/:hostID/unblock`,
      access: "writer",
      load: () => import("./unblock-page.tsx").then((module) => module.UnblockPage),
    },
  ]),
};
