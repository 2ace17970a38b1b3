/** A sentence consists of text and of objects, which are shown as links while they exist. */
import type { AuditTargetType } from "@lightkeeper/contract";

export interface AuditObject {
  type: AuditTargetType;
  id: string;
  /** Undefined if only the ID is known and the name has to be loaded. */
  name?: string | undefined;
  isGone?: boolean;
}

export type Part = string | { strong: string } | { object: AuditObject };

/** The nouns for the types of objects within a sentence. */
export const nouns: Readonly<Record<AuditTargetType, string>> = {
  apiKey: "API key",
  ca: "certificate authority",
  host: "host",
  network: "network",
  oidcProvider: "single sign-on",
  role: "role",
  user: "user",
  route: "route",
  tag: "tag",
  totp: "authenticator",
  billing: "billing",
  organization: "the organization",
  domain: "domain",
  deviceRequest: "the device of",
};

/** An organization has exactly one of these, so they need no name. */
const singletons: ReadonlySet<AuditTargetType> = new Set(["oidcProvider", "billing", "organization"]);

export const isSingleton = (type: AuditTargetType): boolean => singletons.has(type);

/** "role Ops"; users are shown by their email address only. */
export function nameParts(object: AuditObject): Part[] {
  if (object.type === "user") return [{ object }];
  if (isSingleton(object.type)) return [{ object: { ...object, name: nouns[object.type] } }];
  return [`${nouns[object.type]} `, { object }];
}

/** "a", "a and b", "a, b and c" */
export function joinParts(items: readonly Part[][]): Part[] {
  return items.flatMap((item, index) => {
    if (index === 0) return item;
    return [index === items.length - 1 ? " and " : ", ", ...item];
  });
}
