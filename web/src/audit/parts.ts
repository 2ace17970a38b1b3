/** A sentence is words and the things it is about, which are shown as links where they still exist. */
import type { AuditTargetType } from "@lightkeeper/contract";

export interface Thing {
  type: AuditTargetType;
  id: string;
  /** Undefined where only the id is known, and the name has to be looked up. */
  name?: string | undefined;
  isGone?: boolean;
}

export type Part = string | { strong: string } | { thing: Thing };

/** What kinds of things are called, in the middle of a sentence. */
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

/** Those of which an organization has one: they go by what they are. */
const single: ReadonlySet<AuditTargetType> = new Set(["oidcProvider", "billing", "organization"]);

export const isSingle = (type: AuditTargetType): boolean => single.has(type);

/** "role Ops"; people are called by their address alone. */
export function naming(thing: Thing): Part[] {
  if (thing.type === "user") return [{ thing }];
  if (isSingle(thing.type)) return [{ thing: { ...thing, name: nouns[thing.type] } }];
  return [`${nouns[thing.type]} `, { thing }];
}

/** "a", "a and b", "a, b and c" */
export function listing(items: readonly Part[][]): Part[] {
  return items.flatMap((item, index) => {
    if (index === 0) return item;
    return [index === items.length - 1 ? " and " : ", ", ...item];
  });
}
