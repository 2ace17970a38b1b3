/** From most to least privileged. */
export const memberRoles = ["owner", "administrator", "auditor"] as const;
export type MemberRole = (typeof memberRoles)[number];

export const isAtLeast = (role: MemberRole, required: MemberRole): boolean =>
  memberRoles.indexOf(role) <= memberRoles.indexOf(required);
