import type { Member, MemberRole } from "@lightkeeper/contract";

export const roleWords: Record<MemberRole, { label: string; description: string }> = {
  owner: {
    label: "Owner",
    description: "Everything, members, billing, single sign-on and the organization itself included.",
  },
  administrator: {
    label: "Administrator",
    description: "Everything but members, billing, single sign-on and the organization itself.",
  },
  auditor: {
    label: "Auditor",
    description: "Reads everything, the audit log included, and changes nothing.",
  },
};

export const kindWords: Record<Member["kind"], string> = {
  user: "Active",
  oidcUser: "Active, by single sign-on",
  invitation: "Invited",
};
