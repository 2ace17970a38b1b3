/** Searches objects and documentation for the palette. */
import { SEARCH_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Command, CommandGroup, PaletteSearch } from "../lib/palette.ts";
import { startTimer } from "../ui/base/timer.ts";
import { canSearchDocs, docsCommands, docsIndexQuery } from "./palette-docs.ts";
import { useFeatureSearches } from "./palette-features.ts";

const DOCUMENTS_SHOWN = 4;
const SEARCH_DELAY_MS = 120;

/** Searches for the first letter immediately, and for further letters after a pause. */
function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text);
  const isFirst = settled === "" || text === "";
  if (isFirst && settled !== text) setSettled(text);
  useEffect(() => startTimer(() => setSettled(text), SEARCH_DELAY_MS).clear, [text]);
  return isFirst ? text : settled;
}

export interface PaletteResults {
  /** Shown before pages and actions. */
  objects: CommandGroup[];
  /** Further actions, on objects. */
  actions: Command[];
  /** Shown last. */
  documents: Command[];
  isSearching: boolean;
  /** Why results may be missing. */
  error: Error | undefined;
}

export function usePaletteSearch(
  input: string,
  viewer: Pick<PaletteSearch, "person" | "visiblePaths">,
): PaletteResults {
  const text = input.slice(0, SEARCH_LENGTH_MAX);
  const typed = text.trim();
  const settledText = useSettledText(text);
  const isOutdated = settledText.trim() !== typed;
  const matches = useFeatureSearches({ text, settledText, isOutdated, ...viewer });
  const docs = useQuery({ ...docsIndexQuery, enabled: canSearchDocs(typed) });
  const queries = matches.flatMap((match) => match.queries);
  return {
    objects: typed === "" ? [] : matches.flatMap(({ group = [] }) => group),
    actions: matches.flatMap((match) => match.actions ?? []),
    documents: docsCommands(docs.data, typed).slice(0, DOCUMENTS_SHOWN),
    isSearching: isOutdated || [...queries, docs].some(({ isFetching }) => isFetching),
    error: queries.find(({ error }) => error)?.error ?? undefined,
  };
}
