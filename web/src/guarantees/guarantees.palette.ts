import {
  createGuarantee,
  listGuarantees,
  type Guarantee,
  type GuaranteeDestination,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { GUARANTEE_ADD_PATH, guaranteePath, GUARANTEES_PATH } from "../references/guarantee-link.ts";
import { commandsFrom, searchOptions, searchQuery } from "../on-demand/palette-search.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { PlusIcon, RoleIcon } from "../ui/base/icons.tsx";
import { selectorText, sentenceText } from "./guarantee-text.ts";

export const openGuarantees: PaletteAction = {
  command: { label: "Guarantees", keywords: "go to open page", icon: RoleIcon, to: GUARANTEES_PATH },
};

export const addGuarantee: PaletteAction = {
  endpoint: createGuarantee,
  command: {
    label: "Add guarantee",
    keywords: "create new must never reach",
    icon: PlusIcon,
    to: GUARANTEE_ADD_PATH,
  },
};

type RoleNames = ReadonlyMap<string, string>;

/** A description is shorter than the sentence and has the names of hosts. */
function labelOf({ type, source, destination, description }: Guarantee, roleNames: RoleNames): string {
  const textOf = (selector: GuaranteeDestination) =>
    selectorText(type, selector, selector.type === "role" ? roleNames.get(selector.id) : undefined);
  return description || sentenceText(type, textOf(source), textOf(destination));
}

export function useGuaranteeSearch(search: PaletteSearch): PaletteMatches {
  const found = useQuery({
    ...read(listGuarantees, { query: searchQuery(search) }),
    ...searchOptions(search),
  });
  const hasResults = (found.data?.data.length ?? 0) > 0;
  const { data: roles = [] } = useQuery({ ...allRolesQuery, enabled: hasResults });
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]));
  const toCommand = (guarantee: Guarantee): Command => ({
    label: labelOf(guarantee, roleNames),
    icon: RoleIcon,
    to: guaranteePath(guarantee.id),
  });
  return {
    group: { label: "Guarantees", commands: commandsFrom(found, toCommand, search) },
    queries: [found],
  };
}
