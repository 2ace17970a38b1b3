/** Describes a change: in detail if one field changed, by the labels of the fields if several did. */
import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import {
  changedKeys,
  differences,
  recordsOf,
  type Snapshot,
  type Snapshots,
  textOf,
  textsOf,
} from "../references/audit-snapshots.ts";
import {
  joinParts,
  type AuditField,
  type AuditObject,
  type FieldDescriber,
  type Part,
} from "../references/audit-target.ts";
import { auditTargets } from "./audit-targets.ts";
import { nameParts } from "./name-parts.ts";
import { describeRuleChange } from "./rule-description.ts";

const tagParts = (name: string): Part[] => ["tag ", { object: { type: "tag", id: name, name } }];

const settingText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const settingOf = ({ key, value }: Snapshot) => `${textOf(key)} to ${settingText(value)}`;

/** Describes a change of a single setting. */
const describeOverrideChange: FieldDescriber = (before, after, objectParts) => {
  const { added, removed } = differences(recordsOf(before), recordsOf(after));
  const [now] = added;
  const [old] = removed;
  const isSingle = added.length <= 1 && removed.length <= 1 && (!now || !old || now.key === old.key);
  if (!isSingle) return undefined;
  if (now) return ["set ", { strong: settingOf(now) }, " on ", ...objectParts];
  return old && ["removed the setting ", { strong: textOf(old.key) ?? "" }, " from ", ...objectParts];
};

const describeRoleChange: FieldDescriber = (before, after, objectParts) => {
  const [old, now] = [textOf(before), textOf(after)];
  if (now !== undefined)
    return ["assigned role ", { object: { type: "role", id: now } }, " to ", ...objectParts];
  return old === undefined
    ? undefined
    : ["removed role ", { object: { type: "role", id: old } }, " from ", ...objectParts];
};

/** Fields of several types of objects. */
const sharedFields: Readonly<Record<string, AuditField>> = {
  tags: { describe: describeAddedOrRemoved(textsOf, tagParts) },
  networkID: { label: "network" },
  roleID: { label: "role", describe: describeRoleChange },
  firewallRules: { label: "rules", describe: describeRuleChange },
  configOverrides: { label: "Nebula settings", describe: describeOverrideChange },
  expiresAt: { label: "expiry" },
  featureFlags: { label: "feature flags" },
};

const fieldOf = ({ type }: AuditObject, key: string): AuditField | undefined =>
  auditTargets[type].fields?.[key] ?? sharedFields[key];

/** Falls back to the key in words: `currentPeriodEnd` becomes "current period end". */
const inWords = (key: string): string =>
  key
    .replace(/ID$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

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
      renamed ??
      fieldOf(object, key)?.describe?.(snapshots.before?.[key], snapshots.after?.[key], objectParts);
    if (description) return description;
  }
  const names = [...new Set(keys.map((changed) => fieldOf(object, changed)?.label ?? inWords(changed)))];
  return ["changed ", ...joinParts(names.map((name) => [name])), " of ", ...objectParts];
}
