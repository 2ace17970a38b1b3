import type { Feature } from "../lib/feature.ts";
import { hostKinds } from "../references/host-link.tsx";
import { LogIcon } from "../ui/base/icons.tsx";
import { AUDIT_PATH } from "./audit-link.tsx";

export const audit: Feature = {
  pages: [
    { path: "/logs", redirectTo: `${AUDIT_PATH}/` },
    {
      path: AUDIT_PATH,
      load: async () => (await import("./audit-page.tsx")).AuditPage,
      sidebar: { label: "Logs", icon: LogIcon, goKey: "a" },
      children: [{ path: "export", load: async () => (await import("./export-dialog.tsx")).ExportDialog }],
    },
    ...Object.values(hostKinds).map(({ path }) => ({
      within: `${path}/:hostID`,
      path: "activity",
      load: async () => (await import("./host-activity.tsx")).HostActivity,
    })),
  ],
};
