import type { Feature } from "../lib/feature.ts";

export const getStarted: Feature = {
  setupPages: [
    {
      path: "/get-started",
      handle: { headerText: "Get started" },
      load: () => import("./get-started-page.tsx").then((module) => module.GetStartedPage),
    },
  ],
};
