import type { ConfigOverrides, FirewallRule } from "@lightkeeper/contract";
import { checkOverrides } from "../../nouns/tags/config-overrides.service.ts";
import { type FindReference, resolveRules } from "./plan-roles.ts";
import { asWrittenIn, faultsOf, type Thing } from "./things.ts";
import { differences, type Judged, refuse, refuseTwice, sortedOverrides } from "./verdicts.ts";
import type { World } from "./world.ts";

export interface TagWork {
  description: string;
  configOverrides: ConfigOverrides;
  routeSubscriptions: string[];
  rules: FirewallRule[];
}

export type JudgedTag = Judged<"tag", TagWork, TagWork>;

export function planTags(things: readonly Thing<"tag">[], world: World, find: FindReference): JudgedTag[] {
  const twice = refuseTwice<"tag">(({ value }) => value.name);
  return things.map((thing) => {
    const { rules, faults } = resolveRules(thing, find);
    const all = [
      ...twice(thing),
      ...faults,
      ...faultsOf(() => checkOverrides(thing.value.configOverrides), asWrittenIn(thing)),
    ];
    return { thing, verdict: all.length > 0 ? refuse(all) : judge(thing, world, rules) };
  });
}

function judge(thing: Thing<"tag">, world: World, rules: FirewallRule[]): JudgedTag["verdict"] {
  const { name, description, configOverrides } = thing.value;
  const existing = world.findTag(name);
  if (!existing)
    return { kind: "create", work: { description, configOverrides, routeSubscriptions: [], rules } };
  const { written } = thing;
  const current: TagWork = {
    description: existing.description,
    configOverrides: existing.config_overrides,
    routeSubscriptions: existing.route_subscriptions,
    rules: existing.firewall_rules,
  };
  const work: TagWork = {
    ...current,
    description: written.includes("description") ? description : current.description,
    configOverrides: written.includes("configOverrides") ? configOverrides : current.configOverrides,
    rules: written.includes("firewallRules") ? rules : current.rules,
  };
  const properties = differences(compared(work), compared(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: name, properties, work };
}

const compared = ({ description, configOverrides, rules }: TagWork) => ({
  description,
  configOverrides: sortedOverrides(configOverrides),
  firewallRules: rules,
});
