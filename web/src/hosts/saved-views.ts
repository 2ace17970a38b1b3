import { stored } from "../lib/stored.ts";
import type { HostKind } from "../references/host-link.tsx";

export interface SavedView {
  name: string;
  /** The query string: search, filters, order and page size. */
  query: string;
  columns: readonly string[];
}

const isText = (value: unknown) => typeof value === "string";
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return isText(view?.name) && isText(view?.query) && areTexts(view?.columns);
}

const parseViews = (json: unknown) => (Array.isArray(json) ? json.filter(isView) : undefined);
const parseColumns = (json: unknown) => (areTexts(json) ? json : undefined);

const perKind = <Value>(make: (kind: HostKind) => Value): Readonly<Record<HostKind, Value>> => ({
  host: make("host"),
  lighthouse: make("lighthouse"),
  relay: make("relay"),
});

export const savedViews = perKind((kind) => stored<readonly SavedView[]>(`views ${kind}`, [], parseViews));

/** Undefined means the default columns. */
export const savedColumns = perKind((kind) =>
  stored<readonly string[] | undefined>(`columns ${kind}`, undefined, parseColumns),
);

/** A normalized query string without the page, to compare views. */
export function viewQuery(parameters: URLSearchParams): string {
  const query = new URLSearchParams(parameters);
  query.delete("cursor");
  query.sort();
  return query.toString();
}

const sameTexts = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((text, index) => text === other[index]);

export const isSameView = (one: Omit<SavedView, "name">, other: Omit<SavedView, "name">): boolean =>
  one.query === other.query && sameTexts(one.columns, other.columns);

/** Adds the view, or replaces the view with the same name. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((one, other) =>
    one.name.localeCompare(other.name),
  );
