import type { Feature } from "../lib/feature.ts";

export const getStarted: Feature = {
  setupPages: [
    {
      path: "/get-started",
      handle: { headerText: "Get started" },
      load: async () => (await import("./get-started-page.tsx")).GetStartedPage,
    },
  ],
};
