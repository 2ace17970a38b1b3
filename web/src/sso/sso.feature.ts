import type { Feature } from "../lib/feature.ts";

const SSO_PATH = "/settings/sso";

export const sso: Feature = {
  pages: [
    {
      path: SSO_PATH,
      load: () => import("./sso-page.tsx").then((module) => module.SsoPage),
      sidebar: { section: "settings", label: "Single sign-on", goKey: "s" },
    },
    {
      path: `${SSO_PATH}/edit`,
      access: { ownerElse: SSO_PATH },
      load: () => import("./sso-edit-page.tsx").then((module) => module.SsoEditPage),
    },
  ],
};
