import { config } from "../lib/config.ts";
import type { Feature } from "../lib/feature.ts";

export const support: Feature = {
  sidebarLinks: [{ section: "support", label: "Documentation", url: config.docsURL }],
  pages: [
    {
      path: "/support/contact",
      load: () => import("./contact-page.tsx").then((module) => module.ContactPage),
      sidebar: { section: "support", label: "Contact us" },
    },
  ],
};
