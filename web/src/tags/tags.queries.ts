import { getTag, listTags, type TagListItem } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { searchOf } from "../lib/picker-options.ts";
import { keyOf, read } from "../lib/query.ts";

export const tagQuery = (tag: string) => read(getTag, { params: { tag } });

export const tagsPageQuery = (query: ListQuery) => read(listTags, { query });

export const foundTagsQuery = (search: string | undefined) => read(listTags, { query: searchOf(search) });

/** All tags, weakest first: what one overrides depends on the others. */
export const allTagsQuery = queryOptions({
  queryKey: keyOf(listTags, { all: true }),
  queryFn: (): Promise<TagListItem[]> => listAll(listTags, {}),
});
