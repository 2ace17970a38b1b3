import type { Feature } from "../lib/feature.ts";

export const hostsAdd: Feature = {
  pages: [
    {
      path: "/hosts/add-several",
      access: "writer",
      load: () => import("./add-several-page.tsx").then((module) => module.AddSeveralPage),
    },
  ],
};
