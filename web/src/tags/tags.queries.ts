import { getTag, listTags, type TagListItem } from "@lightkeeper/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { searchOf } from "../lib/picker-options.ts";
import { keyOf, read } from "../lib/query.ts";

export const tagQuery = (tag: string) => read(getTag, { params: { tag } });

/** The console shows the highest priority first, everywhere. */
const highestFirst = { sort: "-priority" } as const;

export const tagsPageQuery = (query: ListQuery) => read(listTags, { query: { ...query, ...highestFirst } });

export const foundTagsQuery = (search: string | undefined) =>
  read(listTags, { query: { ...searchOf(search), ...highestFirst } });

/** All tags, highest priority first: what one overrides depends on the others. */
export const allTagsQuery = queryOptions({
  queryKey: keyOf(listTags, { all: true }),
  queryFn: (): Promise<TagListItem[]> => listAll(listTags, { query: highestFirst }),
});

/** The names in the order in which their tags win, once that is known. */
export function useByPriority(names: readonly string[]): string[] {
  const { data: tags = [] } = useQuery({ ...allTagsQuery, enabled: names.length > 1 });
  const places = new Map(tags.map(({ name }, place) => [name, place]));
  const placeOf = (name: string) => places.get(name) ?? tags.length;
  return names.toSorted((one, other) => placeOf(one) - placeOf(other));
}
