import type { Role } from "@lightkeeper/contract";
import { NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { pingRule, toRules, toRuleValues, type WithRules } from "../rules/rule-values.ts";

/** The values of the form. */
export interface RoleValues extends WithRules {
  name: string;
  description: string;
}

export const emptyRole: RoleValues = { name: "", description: "", firewallRules: [pingRule] };

export const toValues = ({ name, description, firewallRules }: Role): RoleValues => ({
  name,
  description,
  firewallRules: firewallRules.map(toRuleValues),
});

export const toBody = ({ name, description, firewallRules }: RoleValues) => ({
  name,
  description,
  firewallRules: toRules(firewallRules),
});

/** The values for a copy of the role. */
export const copyOf = (role: Role): RoleValues => ({
  ...toValues(role),
  name: `Copy of ${role.name}`.slice(0, NAME_LENGTH_MAX),
});
