import { getTag, listTags, type TagListItem } from "@lightkeeper/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { searchOf } from "../lib/picker-options.ts";
import { keyOf, read } from "../lib/query.ts";

export const tagQuery = (tag: string) => read(getTag, { params: { tag } });

/** The console shows the highest priority first, everywhere. */
export const highestFirst = { sort: "-priority" } as const;

export const tagsPageQuery = (query: ListQuery) => read(listTags, { query: { ...query, ...highestFirst } });

export const foundTagsQuery = (search: string | undefined) =>
  read(listTags, { query: { ...searchOf(search), ...highestFirst } });

/** All tags, highest priority first: what one overrides depends on the others. */
export const allTagsQuery = queryOptions({
  queryKey: keyOf(listTags, { all: true }),
  queryFn: (): Promise<TagListItem[]> => listAll(listTags, { query: highestFirst }),
});

const places = new WeakMap<TagListItem[], Map<string, number>>();

/** Computed once for all rows of a list. */
function placesOf(tags: TagListItem[]): Map<string, number> {
  const known = places.get(tags) ?? new Map(tags.map(({ name }, place) => [name, place]));
  places.set(tags, known);
  return known;
}

const NO_TAGS: TagListItem[] = [];

/** The names in the order in which their tags win, once that is known. */
export function useByPriority(names: readonly string[]): string[] {
  const { data: tags = NO_TAGS } = useQuery({ ...allTagsQuery, enabled: names.length > 1 });
  const placeOf = (name: string) => placesOf(tags).get(name) ?? tags.length;
  return names.toSorted((one, other) => placeOf(one) - placeOf(other));
}
