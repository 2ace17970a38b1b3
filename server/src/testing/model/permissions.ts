/**
 * Who may do what, as the documentation says: owners everything; administrators everything but members, billing and
 * single sign-on; auditors only read; API keys what their scopes name, and nothing that is not a scope.
 */
import type { MemberRole, Scope } from "@lightkeeper/contract";

export interface Permission {
  /** The least role of a person. */
  role: MemberRole;
  /** The scopes that an API key needs; null if no API key may do it. */
  scopes: readonly Scope[] | null;
}

export const reading = (...scopes: Scope[]): Permission => ({ role: "auditor", scopes });
export const writing = (...scopes: Scope[]): Permission => ({ role: "administrator", scopes });
/** For people only. */
export const administrating: Permission = { role: "administrator", scopes: null };
export const owning: Permission = { role: "owner", scopes: null };

const rank: Record<MemberRole, number> = { auditor: 1, administrator: 2, owner: 3 };

export const allowsMember = ({ role: required }: Permission, role: MemberRole): boolean =>
  rank[role] >= rank[required];

export const allowsKey = ({ scopes }: Permission, granted: readonly Scope[]): boolean =>
  scopes !== null && scopes.every((scope) => granted.includes(scope));
