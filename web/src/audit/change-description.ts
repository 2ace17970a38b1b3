/** Describes a change: in detail if one field changed, by the labels of the fields if several did. */
import { joinParts, nameParts, type Part, type AuditObject } from "./parts.ts";
import { describeRuleChange } from "./rule-description.ts";
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
  isLighthouse: "type",
  isRelay: "type",
  configOverrides: "Nebula settings",
  firewallRules: "rules",
  routeSubscriptions: "route subscriptions",
  routerHostID: "router",
  routableCIDRs: "subnets",
  acceptWiderRules: "wider rules",
  cidrs: "address ranges",
  lighthousesAsRelays: "lighthouses as relays",
  disableManagedLighthouses: "managed lighthouses",
  expiresAt: "expiry",
  featureFlags: "feature flags",
  issuerURL: "issuer",
  clientID: "client",
  allowedDomains: "allowed domains",
  requiredClaim: "required claim",
  auditorClaim: "auditor claim",
};

/** Falls back to the key in words: `currentPeriodEnd` becomes "current period end". */
export const fieldLabel = (key: string): string =>
  fields[key] ??
  key
    .replace(/ID$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

/** "added tag env:prod to host web-1" */
type Describer = (before: unknown, after: unknown, objectParts: Part[]) => Part[] | undefined;

const tagParts = (name: string): Part[] => ["tag ", { object: { type: "tag", id: name, name } }];
const strongParts = (text: string): Part[] => [{ strong: text }];

const describeAddedOrRemoved =
  (itemsOf: (value: unknown) => string[], toParts: (text: string) => Part[]): Describer =>
  (before, after, objectParts) => {
    const { added, removed } = differences(itemsOf(before), itemsOf(after));
    if (added.length > 0 && removed.length > 0) return undefined;
    if (added.length > 0) return ["added ", ...joinParts(added.map(toParts)), " to ", ...objectParts];
    if (removed.length > 0) return ["removed ", ...joinParts(removed.map(toParts)), " from ", ...objectParts];
    return undefined;
  };

const keysOf = (value: unknown) => (isRecord(value) ? Object.keys(value) : []);

const settingText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const settingOf = ({ key, value }: Snapshot) => `${textOf(key)} to ${settingText(value)}`;

/** Describes a change of a single setting. */
const describeOverrideChange: Describer = (before, after, objectParts) => {
  const { added, removed } = differences(recordsOf(before), recordsOf(after));
  const [now] = added;
  const [old] = removed;
  const isSingle = added.length <= 1 && removed.length <= 1 && (!now || !old || now.key === old.key);
  if (!isSingle) return undefined;
  if (now) return ["set ", { strong: settingOf(now) }, " on ", ...objectParts];
  return old && ["removed the setting ", { strong: textOf(old.key) ?? "" }, " from ", ...objectParts];
};

const describeRoleChange: Describer = (before, after, objectParts) => {
  const [old, now] = [textOf(before), textOf(after)];
  if (now !== undefined)
    return ["assigned role ", { object: { type: "role", id: now } }, " to ", ...objectParts];
  return old === undefined
    ? undefined
    : ["removed role ", { object: { type: "role", id: old } }, " from ", ...objectParts];
};

const describers: Readonly<Record<string, Describer>> = {
  tags: describeAddedOrRemoved(textsOf, tagParts),
  roleID: describeRoleChange,
  firewallRules: describeRuleChange,
  configOverrides: describeOverrideChange,
  routableCIDRs: describeAddedOrRemoved(keysOf, strongParts),
  staticAddresses: describeAddedOrRemoved(textsOf, strongParts),
  scopes: describeAddedOrRemoved(textsOf, strongParts),
  priority: (_before, _after, objectParts) => ["changed the priority of ", ...objectParts],
};

/** Uses the names of that time, not the current name. */
function describeRename(
  { before, after }: Pick<Snapshots, "before" | "after">,
  object: AuditObject,
): Part[] | undefined {
  const [old, now] = [textOf(before?.name), textOf(after?.name)];
  if (old === undefined || now === undefined) return undefined;
  return ["renamed ", ...nameParts({ ...object, name: old }), " to ", { strong: now }];
}

/** "changed name and tags of host web-1", or a more detailed description. */
export function describeChange(snapshots: Pick<Snapshots, "before" | "after">, object: AuditObject): Part[] {
  const keys = changedKeys(snapshots);
  const objectParts = nameParts(object);
  const [key, ...others] = keys;
  if (key === undefined) return ["changed ", ...objectParts];
  if (others.length === 0) {
    const renamed = key === "name" ? describeRename(snapshots, object) : undefined;
    const description =
      renamed ?? describers[key]?.(snapshots.before?.[key], snapshots.after?.[key], objectParts);
    if (description) return description;
  }
  const names = [...new Set(keys.map(fieldLabel))];
  return ["changed ", ...joinParts(names.map((name) => [name])), " of ", ...objectParts];
}
