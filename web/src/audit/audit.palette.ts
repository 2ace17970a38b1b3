import type { PaletteAction } from "../lib/palette.ts";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { AUDIT_EXPORT_PATH, AUDIT_PATH } from "./audit-link.tsx";

export const exportAuditLog: PaletteAction = {
  page: AUDIT_PATH,
  command: {
    label: "Export audit log",
    keywords: "download csv ndjson logs",
    icon: DownloadIcon,
    to: AUDIT_EXPORT_PATH,
  },
};
