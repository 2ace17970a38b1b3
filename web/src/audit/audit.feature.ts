import type { Feature } from "../lib/feature.ts";
import { hostKinds } from "../references/host-link.tsx";
import { LogIcon } from "../ui/base/icons.tsx";
import { AUDIT_PATH } from "./audit-link.tsx";

export const audit: Feature = {
  pages: [
    { path: "/logs", redirectTo: `${AUDIT_PATH}/` },
    {
      path: AUDIT_PATH,
      load: () => import("./audit-page.tsx").then((module) => module.AuditPage),
      sidebar: { label: "Logs", icon: LogIcon, goKey: "a" },
      children: [
        { path: "export", load: () => import("./export-dialog.tsx").then((module) => module.ExportDialog) },
      ],
    },
    ...Object.values(hostKinds).map(({ path }) => ({
      within: `${path}/:hostID`,
      path: "activity",
      load: () => import("./host-activity.tsx").then((module) => module.HostActivity),
    })),
  ],
};
