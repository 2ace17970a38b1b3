import type { Feature } from "../lib/feature.ts";

export const hostsAdd: Feature = {
  pages: [
    {
      path: "/hosts/add-several",
      access: "writer",
      load: async () => (await import("./add-several-page.tsx")).AddSeveralPage,
    },
  ],
};
