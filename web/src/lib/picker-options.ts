import { SEARCH_LENGTH_MAX } from "@lightkeeper/contract/limits";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ComboboxOption } from "../ui/pickers/combobox.tsx";
import { messageOf } from "./errors.ts";

/** How many options a picker shows; typing finds the others. */
const PICKER_PAGE_SIZE = 20;

/** The query parameters of a picker's search. */
export const searchOf = (typed: string | undefined) => ({
  "filter.search": (typed ?? "").trim().slice(0, SEARCH_LENGTH_MAX),
  pageSize: PICKER_PAGE_SIZE,
});

/** Matches substrings in any case, as the server does. */
export const includesText = (text: string, part: string): boolean =>
  text.toLocaleLowerCase().includes(part.trim().toLocaleLowerCase());

export interface Found {
  options: ComboboxOption[] | undefined;
  failure: string | undefined;
}

type SearchResult<Item> = Pick<UseQueryResult<{ data: Item[] }>, "data" | "error" | "isPlaceholderData">;

/** The options that a search found. While it loads, the options of the previous search that match the new one. */
export function foundOptions<Item>(
  { data, error, isPlaceholderData }: SearchResult<Item>,
  search: string | undefined,
  toOption: (item: Item) => ComboboxOption,
): Found {
  const all = data?.data.map(toOption);
  const matching = isPlaceholderData ? all?.filter(({ label }) => includesText(label, search ?? "")) : all;
  const isSearching = isPlaceholderData && matching?.length === 0;
  return {
    options: isSearching ? undefined : matching,
    failure: !data && error ? messageOf(error) : undefined,
  };
}
