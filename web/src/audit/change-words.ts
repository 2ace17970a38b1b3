/** What was changed about a thing: in words where one thing was, by the names of its fields where several were. */
import { listing, naming, type Part, type Thing } from "./parts.ts";
import { ruleChangeWords } from "./rule-words.ts";
import {
  changedKeys,
  differences,
  isRecord,
  recordsOf,
  type Snapshot,
  type Snapshots,
  textOf,
  textsOf,
} from "./snapshots.ts";

const fields: Readonly<Record<string, string>> = {
  networkID: "network",
  roleID: "role",
  ipAddresses: "addresses",
  staticAddresses: "static addresses",
  listenPort: "listen port",
  isBlocked: "access",
  isLighthouse: "kind",
  isRelay: "kind",
  configOverrides: "overrides",
  firewallRules: "rules",
  routeSubscriptions: "route subscriptions",
  routerHostID: "router",
  routableCIDRs: "networks",
  acceptWiderRules: "acceptance of wider rules",
  cidrs: "addresses",
  lighthousesAsRelays: "relaying by lighthouses",
  disableManagedLighthouses: "management of lighthouses",
  expiresAt: "expiry",
  featureFlags: "features",
  priority: "place in the order",
  issuerURL: "issuer",
  clientID: "client",
  allowedDomains: "allowed domains",
  requiredClaim: "required claim",
  auditorClaim: "claim for auditors",
};

/** `currentPeriodEnd` is "current period end" where nobody has found a better word. */
export const fieldWords = (key: string): string =>
  fields[key] ??
  key
    .replace(/ID$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

/** "added tag env:prod to host web-1" */
type Words = (before: unknown, after: unknown, named: Part[]) => Part[] | undefined;

const tagNamed = (name: string): Part[] => ["tag ", { thing: { type: "tag", id: name, name } }];
const strongly = (text: string): Part[] => [{ strong: text }];

const cameAndWent =
  (itemsOf: (value: unknown) => string[], call: (text: string) => Part[]): Words =>
  (before, after, named) => {
    const { added, removed } = differences(itemsOf(before), itemsOf(after));
    if (added.length > 0 && removed.length > 0) return undefined;
    if (added.length > 0) return ["added ", ...listing(added.map(call)), " to ", ...named];
    if (removed.length > 0) return ["removed ", ...listing(removed.map(call)), " from ", ...named];
    return undefined;
  };

const keysOf = (value: unknown) => (isRecord(value) ? Object.keys(value) : []);

const settingText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const settingOf = ({ key, value }: Snapshot) => `${textOf(key)} to ${settingText(value)}`;

/** The one setting that was made, changed or taken back. */
const overrideWords: Words = (before, after, named) => {
  const { added, removed } = differences(recordsOf(before), recordsOf(after));
  const [set, taken] = [added[0], removed[0]];
  const isOne = added.length <= 1 && removed.length <= 1 && (!set || !taken || set.key === taken.key);
  if (!isOne) return undefined;
  if (set) return ["set ", { strong: settingOf(set) }, " on ", ...named];
  return taken && ["removed the setting ", { strong: textOf(taken.key) ?? "" }, " from ", ...named];
};

const memberRoleLabels: Words = (before, after, named) => {
  const [old, now] = [textOf(before), textOf(after)];
  if (now !== undefined) return ["gave role ", { thing: { type: "role", id: now } }, " to ", ...named];
  return old === undefined
    ? undefined
    : ["took role ", { thing: { type: "role", id: old } }, " from ", ...named];
};

const words: Readonly<Record<string, Words>> = {
  tags: cameAndWent(textsOf, tagNamed),
  roleID: memberRoleLabels,
  firewallRules: ruleChangeWords,
  configOverrides: overrideWords,
  routableCIDRs: cameAndWent(keysOf, strongly),
  staticAddresses: cameAndWent(textsOf, strongly),
  scopes: cameAndWent(textsOf, strongly),
  priority: (_before, _after, named) => ["moved ", ...named, " in the order of tags"],
};

/** By the name it had then, to the name it got then, whatever it is called now. */
function renaming({ before, after }: Pick<Snapshots, "before" | "after">, thing: Thing): Part[] | undefined {
  const [old, now] = [textOf(before?.name), textOf(after?.name)];
  if (old === undefined || now === undefined) return undefined;
  return ["renamed ", ...naming({ ...thing, name: old }), " to ", { strong: now }];
}

/** "changed name and tags of host web-1", or better. */
export function changeWords(snapshots: Pick<Snapshots, "before" | "after">, thing: Thing): Part[] {
  const keys = changedKeys(snapshots);
  const named = naming(thing);
  const [key, ...others] = keys;
  if (key === undefined) return ["changed ", ...named];
  if (others.length === 0) {
    const renamed = key === "name" ? renaming(snapshots, thing) : undefined;
    const told = renamed ?? words[key]?.(snapshots.before?.[key], snapshots.after?.[key], named);
    if (told) return told;
  }
  const names = [...new Set(keys.map(fieldWords))];
  return ["changed ", ...listing(names.map((name) => [name])), " of ", ...named];
}
