import { getTag, listTags, type TagListItem } from "@lightkeeper/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { searchOf } from "../lib/picker-options.ts";
import { keyOf, read } from "../lib/query.ts";

export const tagQuery = (tag: string) => read(getTag, { params: { tag } });

/** The console lists tags by priority, highest first, everywhere. */
export const highestFirst = { sort: "-priority" } as const;

export const tagsPageQuery = (query: ListQuery) => read(listTags, { query: { ...query, ...highestFirst } });

export const foundTagsQuery = (search: string | undefined) =>
  read(listTags, { query: { ...searchOf(search), ...highestFirst } });

/** Every tag, highest priority first: which tag wins depends on all of them. */
export const allTagsQuery = queryOptions({
  queryKey: keyOf(listTags, { all: true }),
  queryFn: (): Promise<TagListItem[]> => listAll(listTags, { query: highestFirst }),
});

const ranksByList = new WeakMap<TagListItem[], Map<string, number>>();

/** Cached per list, because every row of a table asks for the same ranks. */
function ranksOf(tags: TagListItem[]): Map<string, number> {
  const ranks = ranksByList.get(tags) ?? new Map(tags.map(({ name }, rank) => [name, rank]));
  ranksByList.set(tags, ranks);
  return ranks;
}

const NO_TAGS: TagListItem[] = [];

/** Sorts tag names by priority, highest first, once all tags are loaded. Unknown tags come last. */
export function useSortedByPriority(names: readonly string[]): string[] {
  const { data: tags = NO_TAGS } = useQuery({ ...allTagsQuery, enabled: names.length > 1 });
  const rankOf = (name: string) => ranksOf(tags).get(name) ?? tags.length;
  return names.toSorted((one, other) => rankOf(one) - rankOf(other));
}
