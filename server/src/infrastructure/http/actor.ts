/** Who can make a request, and how the audit log names them. */
import type { AuditActor, MemberRole, Scope } from "@lightkeeper/contract";
import type { Author } from "../db/audited.ts";

export interface Organization {
  id: string;
  name: string;
  plan: "free" | "pro" | "selfHosted";
  createdAt: Date;
}

/** When a person authenticated, and until when that is valid. */
export interface Authentication {
  at: Date;
  expiresAt: Date;
}

interface Member {
  id: string;
  email: string;
  role: MemberRole;
  organization: Organization;
  session: { id: string; lastUsedAt: Date };
  /** Undefined while the second factor is missing. */
  authentication: Authentication | undefined;
}

export interface User extends Member {
  type: "user";
  createdAt: Date;
  hasTotpAuthenticator: boolean;
}

/** A person who signed in with the organization's identity provider. */
export interface SsoUser extends Member {
  type: "oidcUser";
  issuer: string;
  subject: string;
}

export type Person = User | SsoUser;

export interface ApiKeyActor {
  type: "apiKey";
  id: string;
  name: string;
  scopes: Scope[];
  organization: Organization;
  lastUsedAt: Date | null;
}

export type Actor = Person | ApiKeyActor;

/** The tokens of a request's Authorization header. */
export interface Presented {
  kind: "user" | "oidcUser" | "apiKey";
  /** Hash of the first token: user token, single sign-on token or API key. */
  token: Buffer;
  authToken: Buffer | undefined;
}

export const authorOf = (actor: Actor): Author => ({
  organizationID: actor.organization.id,
  actor: auditActor(actor),
});

export function auditActor(actor: Actor): AuditActor {
  const { id, type } = actor;
  switch (type) {
    case "apiKey":
      return { type, id, name: actor.name };
    case "oidcUser":
      return { type, email: actor.email, issuer: actor.issuer, subject: actor.subject };
    case "user":
      return { type, id, email: actor.email };
  }
}
