import type { SsoDefaultRole } from "@lightkeeper/contract";

/** The roles that people can get by single sign-on. */
export const ssoRoleLabels: Record<SsoDefaultRole, { label: string; description: string }> = {
  administrator: {
    label: "Administrator",
    description: "Manages networks, hosts and access. Can’t manage members, billing or single sign-on.",
  },
  auditor: {
    label: "Auditor",
    description: "Sees everything, including the audit log, but can’t change anything.",
  },
};
