import type { Feature } from "../lib/feature.ts";

export const downloads: Feature = {
  pages: [
    {
      path: "/downloads",
      load: async () => (await import("./downloads-page.tsx")).DownloadsPage,
      sidebar: { section: "support", label: "Downloads", goKey: "d" },
    },
  ],
};
