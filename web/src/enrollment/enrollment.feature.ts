import type { Feature } from "../lib/feature.ts";
import { hostKinds } from "../references/host-link.tsx";

export const enrollment: Feature = {
  pages: Object.values(hostKinds).flatMap(({ path }) => [
    {
      path: `${path}/:hostID/enroll`,
      access: "writer",
      load: async () => (await import("./enroll-page.tsx")).EnrollPage,
    },
    {
      path: `${path}/:hostID/unblock`,
      access: "writer",
      load: async () => (await import("./unblock-page.tsx")).UnblockPage,
    },
  ]),
};
