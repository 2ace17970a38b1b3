/** Descriptions of changes that objects of several features have in common. */
import { differences, isRecord, textOf } from "./audit-snapshots.ts";
import { joinParts, type EntryDescriber, type FieldDescriber, type Part } from "./audit-target.ts";

const strongParts = (text: string): Part[] => [{ strong: text }];

/** Describes items that were only added or only removed. */
export const describeAddedOrRemoved =
  (itemsOf: (value: unknown) => string[], toParts: (text: string) => Part[] = strongParts): FieldDescriber =>
  (before, after, objectParts) => {
    const { added, removed } = differences(itemsOf(before), itemsOf(after));
    if (added.length > 0 && removed.length > 0) return undefined;
    if (added.length > 0) return ["added ", ...joinParts(added.map(toParts)), " to ", ...objectParts];
    if (removed.length > 0) return ["removed ", ...joinParts(removed.map(toParts)), " from ", ...objectParts];
    return undefined;
  };

export const describeRemoval: EntryDescriber = (_entry, _snapshots, objectParts) => [
  "removed ",
  ...objectParts,
];

/** The plan and the feature flags, which are recorded for the organization or its billing. */
export const describePlanChange: EntryDescriber = (_entry, { before, after }) => {
  const plan = textOf(after?.plan);
  if (plan !== undefined && plan !== before?.plan) return ["changed the plan to ", { strong: plan }];
  const [feature, ...others] = Object.entries(isRecord(after?.featureFlags) ? after.featureFlags : {});
  if (!feature || others.length > 0) return undefined;
  return ["turned the feature ", { strong: feature[0] }, feature[1] === true ? " on" : " off"];
};
