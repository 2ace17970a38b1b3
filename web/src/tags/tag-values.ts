import type { ConfigOverrides, Tag } from "@lightkeeper/contract";
import { toRules, toSavedRuleValues, type WithRules } from "../rules/rule-values.ts";

/** The values of the form. */
export interface TagValues extends WithRules {
  name: string;
  description: string;
  configOverrides: ConfigOverrides;
  routeSubscriptions: string[];
}

export const emptyTag: TagValues = {
  name: "",
  description: "",
  configOverrides: [],
  routeSubscriptions: [],
  firewallRules: [],
};

export const toValues = ({ firewallRules, ...tag }: Tag): TagValues => ({
  name: tag.name,
  description: tag.description,
  configOverrides: tag.configOverrides,
  routeSubscriptions: tag.routeSubscriptions,
  firewallRules: toSavedRuleValues(firewallRules),
});

/** Everything but the name, which can't be changed. */
export const toBody = (values: TagValues) => ({
  description: values.description,
  configOverrides: values.configOverrides,
  routeSubscriptions: values.routeSubscriptions,
  firewallRules: toRules(values.firewallRules),
});
