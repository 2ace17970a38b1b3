import type { UseQueryResult } from "@tanstack/react-query";
import type { ComboboxOption } from "../ui/forms/combobox.tsx";
import { messageOf } from "./errors.ts";

/** How many a picker shows; whoever wants another types on. */
const PICKER_PAGE_SIZE = 20;

const SEARCH_LENGTH_MAX = 100;

/** What the server is asked to look for. */
export const searchOf = (typed: string | undefined) => ({
  "filter.search": (typed ?? "").trim().slice(0, SEARCH_LENGTH_MAX),
  pageSize: PICKER_PAGE_SIZE,
});

/** Parts of words in any case, as the server finds them. */
export const includesText = (text: string, part: string): boolean =>
  text.toLocaleLowerCase().includes(part.trim().toLocaleLowerCase());

export interface Found {
  options: ComboboxOption[] | undefined;
  failure: string | undefined;
}

type Answer<Item> = Pick<UseQueryResult<{ data: Item[] }>, "data" | "error" | "isPlaceholderData">;

/** What a search has found. Until it has, those of the search before that match too: never one that does not. */
export function foundOptions<Item>(
  { data, error, isPlaceholderData }: Answer<Item>,
  search: string | undefined,
  toOption: (item: Item) => ComboboxOption,
): Found {
  const all = data?.data.map(toOption);
  const kept = isPlaceholderData ? all?.filter(({ label }) => includesText(label, search ?? "")) : all;
  const isStillLooking = isPlaceholderData && kept?.length === 0;
  return {
    options: isStillLooking ? undefined : kept,
    failure: !data && error ? messageOf(error) : undefined,
  };
}
