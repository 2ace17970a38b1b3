import type { ConfigOverrides, FirewallRule } from "@lightkeeper/contract";
import { requireValidOverrides } from "../../nouns/tags/config-overrides.service.ts";
import { type FindReference, resolveRules } from "./plan-roles.ts";
import { sourcePathIn, collectProblems, type Item } from "./items.ts";
import {
  differences,
  type PlannedItem,
  reject,
  createDuplicateCheck,
  sortedOverrides,
} from "./planned-items.ts";
import type { ExistingState } from "./existing-state.ts";

export interface TagValues {
  description: string;
  configOverrides: ConfigOverrides;
  routeSubscriptions: string[];
  rules: FirewallRule[];
}

export type PlannedTag = PlannedItem<"tag", TagValues, TagValues>;

export function planTags(
  items: readonly Item<"tag">[],
  state: ExistingState,
  find: FindReference,
): PlannedTag[] {
  const findDuplicate = createDuplicateCheck<"tag">(({ value }) => value.name);
  return items.map((item) => {
    const { rules, problems } = resolveRules(item, find);
    const all = [
      ...findDuplicate(item),
      ...problems,
      ...collectProblems(() => requireValidOverrides(item.value.configOverrides), sourcePathIn(item)),
    ];
    return { item, action: all.length > 0 ? reject(all) : planTag(item, state, rules) };
  });
}

function planTag(item: Item<"tag">, state: ExistingState, rules: FirewallRule[]): PlannedTag["action"] {
  const { name, description, configOverrides } = item.value;
  const existing = state.findTag(name);
  if (!existing)
    return { kind: "create", values: { description, configOverrides, routeSubscriptions: [], rules } };
  const { presentKeys } = item;
  const current: TagValues = {
    description: existing.description,
    configOverrides: existing.config_overrides,
    routeSubscriptions: existing.route_subscriptions,
    rules: existing.firewall_rules,
  };
  const values: TagValues = {
    ...current,
    description: presentKeys.includes("description") ? description : current.description,
    configOverrides: presentKeys.includes("configOverrides") ? configOverrides : current.configOverrides,
    rules: presentKeys.includes("firewallRules") ? rules : current.rules,
  };
  const properties = differences(comparable(values), comparable(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: name, properties, values };
}

const comparable = ({ description, configOverrides, rules }: TagValues) => ({
  description,
  configOverrides: sortedOverrides(configOverrides),
  firewallRules: rules,
});
