import type { Feature } from "../lib/feature.ts";

export const downloads: Feature = {
  pages: [
    {
      path: "/downloads",
      load: () => import("./downloads-page.tsx").then((module) => module.DownloadsPage),
      sidebar: { section: "support", label: "Downloads", goKey: "d" },
    },
  ],
};
