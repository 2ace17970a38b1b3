/** All rules of an organization that are probably not what their author intended. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { AccessRule } from "./access.ts";
import { RuleLint } from "./rule-lints.ts";

const noun = "access";

export const RULE_LINTS_MAX = 1000;

export const SavedRuleLint = z.strictObject({
  /** The role, tag or route that contains the rule. */
  owner: AccessRule.shape.source,
  rule: AccessRule.shape.rule,
  lint: RuleLint,
});
export type SavedRuleLint = z.output<typeof SavedRuleLint>;

export const listRuleLints = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/access/lint",
  noun,
  summary: "List rules that never match, are redundant or are broader than intended",
  access: access.scope("access:read"),
  response: data(
    z.strictObject({
      /** By the name of the role, tag or route, up to a limit; the count is of all. */
      lints: z.array(SavedRuleLint),
      lintCount: z.number(),
      /** The number of rules that were checked. */
      ruleCount: z.number(),
    }),
  ),
});
