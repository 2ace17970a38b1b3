/** Whether somebody may come in, from what their provider says of them. Pure. */
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

/** Issuer and subject say who it is; the address is only what they are called. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
}

const LENGTH_MAX = 255;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{3,190}$/;
/** What the database could not keep. */
const UNUSABLE = /[\0\p{Surrogate}]/u;

export const claimsWanted = ({ requiredClaim, auditorClaim }: Rules): string[] => [
  "email",
  "email_verified",
  ...[requiredClaim, auditorClaim].flatMap((claim) => claim?.name ?? []),
];

const told = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;

function has(claims: Claims, { name, value }: OidcClaim): boolean {
  const said = told(claims, name);
  const all: unknown[] = Array.isArray(said) ? said : [said];
  return all.some((one) => ["string", "number", "boolean"].includes(typeof one) && String(one) === value);
}

const notAllowed = (message: string) => new ApiError("ERR_OIDC_NOT_ALLOWED", { message });

/** Who it is, as far as it is told: nobody without issuer, subject and address. */
export function identityOf(claims: Claims): Identity | undefined {
  const { iss, sub } = claims;
  const email = told(claims, "email");
  if (typeof email !== "string" || !EMAIL.test(email) || !isPlainLine(email)) return undefined;
  if ([iss, sub, email].some((one) => UNUSABLE.test(one) || one.length > LENGTH_MAX)) return undefined;
  return { issuer: iss, subject: sub, email: email.toLowerCase() };
}

/** Some providers send the claim as text. Any other value is not a confirmation. */
function emailVerification(claims: Claims): "verified" | "unverified" | "missing" {
  const value = told(claims, "email_verified");
  if (value === undefined) return "missing";
  return value === true || value === "true" ? "verified" : "unverified";
}

export const isEmailVerifiedMissing = (claims: Claims): boolean => emailVerification(claims) === "missing";

/** Throws unless they may come in; answers as what. */
export function admitted(claims: Claims, rules: Rules): { identity: Identity; role: SsoDefaultRole } {
  const identity = identityOf(claims);
  const required = rules.requiredClaim;
  const verification = emailVerification(claims);
  const missingClaims = [
    ...(identity ? [] : ["email"]),
    ...(identity && verification === "missing" && !rules.trustsEmails ? ["email_verified"] : []),
    ...(required && told(claims, required.name) === undefined ? [required.name] : []),
  ];
  if (!identity || missingClaims.length > 0)
    throw new ApiError("ERR_OIDC_MISSING_CLAIMS", {
      message: `the identity provider left out ${missingClaims.join(" and ")}`,
      extra: { missingClaims },
    });
  if (verification === "unverified")
    throw notAllowed(`the identity provider has not verified the address ${identity.email}`);
  const domain = identity.email.slice(identity.email.lastIndexOf("@") + 1);
  if (rules.allowedDomains.length > 0 && !rules.allowedDomains.includes(domain))
    throw notAllowed(`addresses of ${domain} may not sign in here`);
  if (required && !has(claims, required))
    throw notAllowed(`the claim ${required.name} of this account does not let it in here`);
  const isAuditor = rules.auditorClaim !== null && has(claims, rules.auditorClaim);
  return { identity, role: isAuditor ? "auditor" : rules.defaultRole };
}
