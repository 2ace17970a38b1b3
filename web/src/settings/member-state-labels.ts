import type { Member } from "@lightkeeper/contract";

export const memberStateLabels: Record<Member["kind"], string> = {
  user: "Active",
  oidcUser: "Active (single sign-on)",
  invitation: "Invited",
};
