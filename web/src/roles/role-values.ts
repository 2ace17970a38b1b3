import type { Role } from "@lightkeeper/contract";
import { NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { pingRule, toRules, toRuleValues, toSavedRuleValues, type WithRules } from "../rules/rule-values.ts";

/** The values of the form. */
export interface RoleValues extends WithRules {
  name: string;
  description: string;
}

export const emptyRole: RoleValues = { name: "", description: "", firewallRules: [pingRule] };

export const toValues = ({ name, description, firewallRules }: Role): RoleValues => ({
  name,
  description,
  firewallRules: toSavedRuleValues(firewallRules),
});

export const toBody = ({ name, description, firewallRules }: RoleValues) => ({
  name,
  description,
  firewallRules: toRules(firewallRules),
});

/** The values for a copy of the role. */
export const copyOf = (role: Role): RoleValues => ({
  description: role.description,
  firewallRules: role.firewallRules.map(toRuleValues),
  name: `Copy of ${role.name}`.slice(0, NAME_LENGTH_MAX),
});
