export const AUDIT_PATH = "/logs/audit";
export const AUDIT_EXPORT_PATH = "/logs/audit/export";
