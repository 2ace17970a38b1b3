/** Documentation pages in the palette, found with the documentation's own search index, which loads on first use. */
import { queryOptions } from "@tanstack/react-query";
import { config } from "../lib/config.ts";
import type { Command } from "../lib/palette.ts";
import { LogIcon } from "../ui/base/icons.tsx";

const DOCS_PATH = "/docs/";
/** With fewer letters, nearly every page matches. */
const LETTERS_MIN = 2;

/** Documentation on another server may have a different index or none. */
const isServedHere =
  new URL(config.docsURL, location.origin).href === new URL(DOCS_PATH, location.origin).href;

export const canSearchDocs = (text: string): boolean => isServedHere && text.length >= LETTERS_MIN;

/** If the index can't be loaded, the palette works without it. */
export const docsIndexQuery = queryOptions({
  queryKey: ["docs", config.version],
  queryFn: async ({ signal }) => {
    const [{ openIndex }, response] = await Promise.all([
      import("../../../docs/site/search.mjs"),
      fetch(`${DOCS_PATH}search.json`, { signal }),
    ]);
    if (!response.ok) throw new Error(`Loading the documentation index failed: ${response.status}`);
    return openIndex(await response.text());
  },
  staleTime: Infinity,
  retry: false,
  meta: { onError: () => undefined },
});

type DocsIndex = Awaited<ReturnType<NonNullable<typeof docsIndexQuery.queryFn>>>;

export function docsCommands(index: DocsIndex | undefined, text: string): Command[] {
  if (!index || !canSearchDocs(text)) return [];
  return index.search(text).map(({ id, title, page }) => ({
    label: title,
    ...(title !== page && { description: page }),
    icon: LogIcon,
    href: id,
  }));
}
