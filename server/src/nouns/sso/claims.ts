/** Decides from the claims of the identity provider who may sign in, and with which role. Pure. */
import type { OidcClaim, SsoDefaultRole } from "@lightkeeper/contract";
import { isPlainLine } from "@lightkeeper/contract/characters";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

export interface Claims {
  iss: string;
  sub: string;
  [name: string]: unknown;
}

export interface Rules {
  allowedDomains: readonly string[];
  requiredClaim: OidcClaim | null;
  auditorClaim: OidcClaim | null;
  defaultRole: SsoDefaultRole;
  trustsEmails: boolean;
}

/** Issuer and subject identify a person; the email address may change. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
}

const LENGTH_MAX = 255;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{3,190}$/;
/** Characters that PostgreSQL cannot store. */
const UNUSABLE = /[\0\p{Surrogate}]/u;

export const requestedClaims = ({ requiredClaim, auditorClaim }: Rules): string[] => [
  "email",
  "email_verified",
  ...[requiredClaim, auditorClaim].flatMap((claim) => claim?.name ?? []),
];

const readClaim = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;

function hasClaim(claims: Claims, { name, value }: OidcClaim): boolean {
  const claim = readClaim(claims, name);
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.some(
    (item) => ["string", "number", "boolean"].includes(typeof item) && String(item) === value,
  );
}

const notAllowedError = (message: string) => new ApiError("ERR_OIDC_NOT_ALLOWED", { message });

/** Returns undefined without a usable issuer, subject and email address. */
export function identityOf(claims: Claims): Identity | undefined {
  const { iss, sub } = claims;
  const email = readClaim(claims, "email");
  if (typeof email !== "string" || !EMAIL.test(email) || !isPlainLine(email)) return undefined;
  if ([iss, sub, email].some((text) => UNUSABLE.test(text) || text.length > LENGTH_MAX)) return undefined;
  return { issuer: iss, subject: sub, email: email.toLowerCase() };
}

/** Some providers send the claim as text. Any other value is not a confirmation. */
function emailVerification(claims: Claims): "verified" | "unverified" | "missing" {
  const value = readClaim(claims, "email_verified");
  if (value === undefined) return "missing";
  return value === true || value === "true" ? "verified" : "unverified";
}

export const isEmailVerifiedMissing = (claims: Claims): boolean => emailVerification(claims) === "missing";

/** Throws unless the person may sign in. */
export function requireAdmission(claims: Claims, rules: Rules): { identity: Identity; role: SsoDefaultRole } {
  const identity = identityOf(claims);
  const required = rules.requiredClaim;
  const verification = emailVerification(claims);
  const missingClaims = [
    ...(identity ? [] : ["email"]),
    ...(identity && verification === "missing" && !rules.trustsEmails ? ["email_verified"] : []),
    ...(required && readClaim(claims, required.name) === undefined ? [required.name] : []),
  ];
  if (!identity || missingClaims.length > 0)
    throw new ApiError("ERR_OIDC_MISSING_CLAIMS", {
      message: `the identity provider did not return ${missingClaims.join(" and ")}`,
      extra: { missingClaims },
    });
  if (verification === "unverified")
    throw notAllowedError(`the identity provider has not verified the email address ${identity.email}`);
  const domain = identity.email.slice(identity.email.lastIndexOf("@") + 1);
  if (rules.allowedDomains.length > 0 && !rules.allowedDomains.includes(domain))
    throw notAllowedError(`email addresses at ${domain} can’t sign in to this organization`);
  if (required && !hasClaim(claims, required))
    throw notAllowedError(
      `the claim ${required.name} of this account does not allow it to sign in to this organization`,
    );
  const isAuditor = rules.auditorClaim !== null && hasClaim(claims, rules.auditorClaim);
  return { identity, role: isAuditor ? "auditor" : rules.defaultRole };
}
