import type { MemberRole } from "@lightkeeper/contract";

export const memberRoleLabels: Record<MemberRole, { label: string; description: string }> = {
  owner: {
    label: "Owner",
    description: "Full access, including members, billing, single sign-on and deleting the organization.",
  },
  administrator: {
    label: "Administrator",
    description: "Full access, except members, billing, single sign-on and deleting the organization.",
  },
  auditor: {
    label: "Auditor",
    description: "Read-only access, including the audit log.",
  },
};
