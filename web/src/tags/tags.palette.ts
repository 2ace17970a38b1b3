import { listTags, updateTag, type TagListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { commandsFrom, searchOptions, searchQuery } from "../on-demand/palette-search.ts";
import { TAG_REORDER_PATH, tagPath, TAGS_PATH } from "../references/tag-link.tsx";
import { highestFirst } from "../references/tags.queries.ts";
import { TagIcon } from "../ui/base/icons.tsx";

export const reorderTags: PaletteAction = {
  page: TAGS_PATH,
  endpoint: updateTag,
  command: { label: "Reorder tags", keywords: "priority", to: TAG_REORDER_PATH },
};

const tagCommand = ({ name, description }: TagListItem): Command => ({
  label: name,
  description,
  icon: TagIcon,
  to: tagPath(name),
});

export function useTagSearch(search: PaletteSearch): PaletteMatches {
  const query = { ...searchQuery(search), ...highestFirst };
  const tags = useQuery({ ...read(listTags, { query }), ...searchOptions(search) });
  return { group: { label: "Tags", commands: commandsFrom(tags, tagCommand, search) }, queries: [tags] };
}
