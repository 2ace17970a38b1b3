/** What the features need to search objects for the palette. */
import { listNetworksV2, PAGE_SIZE_MAX, type Page } from "@lightkeeper/contract";
import { keepPreviousData, type UseQueryResult } from "@tanstack/react-query";
import type { Command, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";

const RESULTS_SHOWN = 4;

/** The commands that contain every typed word, those that start with the typed text first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = text.trim().toLocaleLowerCase();
  const words = typed.split(/\s+/);
  const isFound = ({ label, keywords = "", description = "", status }: Command) => {
    const all = `${label} ${keywords} ${description} ${status?.label ?? ""}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  };
  const startsWithText = ({ label }: Command) => Number(label.toLocaleLowerCase().startsWith(typed));
  return commands.filter(isFound).sort((a, b) => startsWithText(b) - startsWithText(a));
}

export const firstMatching = (commands: readonly Command[], text: string): Command[] =>
  matching(commands, text).slice(0, RESULTS_SHOWN);

/** The options of a query for the settled text. */
export const searchOptions = ({ settledText }: PaletteSearch) => ({
  enabled: settledText.trim() !== "",
  placeholderData: keepPreviousData,
});

/** The parameters of a list that the server searches. */
export const searchQuery = ({ settledText }: PaletteSearch) => ({
  "filter.search": settledText.trim(),
  pageSize: RESULTS_SHOWN,
});

/** Results of an earlier text are filtered until the current ones arrive. */
export function commandsFrom<Item>(
  { data, isPlaceholderData }: UseQueryResult<Page<Item>>,
  toCommand: (item: Item) => Command | Command[],
  { text, isOutdated }: Pick<PaletteSearch, "text" | "isOutdated">,
): Command[] {
  const commands = data?.data.flatMap(toCommand) ?? [];
  return isOutdated || isPlaceholderData ? matching(commands, text) : commands;
}

/** For short lists that the server can't search: loaded once and filtered in the browser. */
export const wholeListQuery = { pageSize: PAGE_SIZE_MAX };
export const wholeListOptions = ({ text }: PaletteSearch) => ({ enabled: text.trim() !== "" });

/** The networks are also needed to describe hosts and to rotate CAs. */
export const paletteNetworksQuery = read(listNetworksV2, { query: wholeListQuery });
