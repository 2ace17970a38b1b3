import type { Member } from "@lightkeeper/contract";

export const kindWords: Record<Member["kind"], string> = {
  user: "Active",
  oidcUser: "Active, by single sign-on",
  invitation: "Invited",
};
