/** From the one who may do everything to the one who only reads. */
export const memberRoles = ["owner", "administrator", "auditor"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Whether somebody of this role may do what needs that one. */
export const isAtLeast = (role: MemberRole, needed: MemberRole): boolean =>
  memberRoles.indexOf(role) <= memberRoles.indexOf(needed);
