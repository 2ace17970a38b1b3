import { useQuery } from "@tanstack/react-query";
import { allRolesQuery } from "../references/roles.queries.ts";
import { allChannelsQuery } from "./notifications.queries.ts";
import type { RuleNames } from "./rule-sentence.ts";

/** Undefined until everything that a sentence mentions is loaded. */
export function useRuleNames(): RuleNames | undefined {
  const { data: roles } = useQuery(allRolesQuery);
  const { data: channels } = useQuery(allChannelsQuery);
  if (!roles || !channels) return undefined;
  return {
    roles: new Map(roles.map(({ id, name }) => [id, name])),
    channels: new Map(channels.map(({ id, name }) => [id, name])),
  };
}
