/** A list keeps its state in the URL, as parameters of the API's query, so that Back and copied links restore it. */
import { PAGE_SIZE } from "@lightkeeper/contract";
import { SEARCH_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useEffect, useRef, useState } from "react";
import { NavigationType, useLocation, useNavigationType, useSearchParams } from "react-router";

export const pageSizes = [PAGE_SIZE, 50, 100] as const;

export interface ListSpec<Sort extends string = never, Filter extends string = never> {
  /** The sort keys; the first, ascending, is the default. */
  sorts?: readonly Sort[];
  /** The filters, each with its allowed values or "any". */
  filters?: Readonly<Record<Filter, readonly string[] | "any">>;
}

export interface ListOrder<Sort extends string = string> {
  key: Sort;
  descending: boolean;
}

/** The part of an API query that every list has; callers add their filters. */
export interface ListQuery<Sort extends string = never> {
  includeCounts: boolean;
  pageSize: number;
  cursor?: string;
  sort?: Sort | `-${Sort}`;
  "filter.search"?: string;
}

export interface ListState<Sort extends string = never, Filter extends string = never> {
  /** As typed; the query contains it trimmed. */
  search: string;
  setSearch: (text: string) => void;
  /** Every filter; one without values is off. */
  filters: Readonly<Record<Filter, readonly string[]>>;
  setFilter: (name: Filter, values: readonly string[]) => void;
  isFiltered: boolean;
  /** Clears search and filters. */
  clear: () => void;
  /** Undefined for a list that can't be sorted. */
  order: ListOrder<Sort> | undefined;
  /** Sorts by the key; a second call reverses the order. */
  sortBy: (key: Sort) => void;
  cursor: string | undefined;
  goTo: (cursor: string) => void;
  /** Removes an invalid cursor and replaces the history entry. */
  dropCursor: () => void;
  pageSize: number;
  setPageSize: (size: number) => void;
  /** Changes other parameters of the URL. */
  write: (change: ChangeParameters, options?: WriteOptions) => void;
  query: ListQuery<Sort>;
  /** The query once this text is typed. */
  queryWhenTyped: (text: string) => ListQuery<Sort>;
}

const SEARCH = "filter.search";

function readFilters<Filter extends string>(
  parameters: URLSearchParams,
  spec: Readonly<Record<Filter, readonly string[] | "any">>,
) {
  const entries = (Object.keys(spec) as Filter[]).map((name) => {
    const allowed = spec[name];
    const values = parameters.getAll(`filter.${name}`).filter((value) => value !== "");
    return [name, allowed === "any" ? values : values.filter((value) => allowed.includes(value))] as const;
  });
  return Object.fromEntries(entries) as unknown as Record<Filter, readonly string[]>;
}

function readOrder<Sort extends string>(
  parameters: URLSearchParams,
  sorts: readonly Sort[],
): ListOrder<Sort> | undefined {
  const parameter = parameters.get("sort") ?? "";
  const key = sorts.find((sort) => sort === parameter.replace(/^-/, ""));
  if (key !== undefined) return { key, descending: parameter.startsWith("-") };
  return sorts[0] === undefined ? undefined : { key: sorts[0], descending: false };
}

function readPageSize(parameters: URLSearchParams): number {
  return pageSizes.find((size) => String(size) === parameters.get("pageSize")) ?? PAGE_SIZE;
}

/** The URL lags behind typing, so the typed text is kept here until the person navigates. */
export function useTyped(textInURL: string) {
  const { key } = useLocation();
  const isTyping = useNavigationType() === NavigationType.Replace;
  const [typed, setTyped] = useState({ text: textInURL, key });
  if (typed.key !== key) setTyped({ text: isTyping ? typed.text : textInURL, key });
  return [typed.text, (text: string) => setTyped({ text, key })] as const;
}

const toSearchTerm = (text: string) => text.trim().slice(0, SEARCH_LENGTH_MAX);

const toSortParameter = <Sort extends string>({ key, descending }: ListOrder<Sort>): Sort | `-${Sort}` =>
  descending ? `-${key}` : key;

type ChangeParameters = (next: URLSearchParams) => void;

interface WriteOptions {
  replace?: boolean;
  stay?: boolean;
}

/**
 * Returns a function that changes the parameters of the URL. Typing and pointing can be faster than rendering, so each
 * change starts from the last one, which may not be rendered yet.
 */
function useParameterWriter(): ListState["write"] {
  const location = useLocation();
  const [, setParameters] = useSearchParams();
  const waiting = useRef<string[]>([]);
  const latest = useRef(location.search.slice(1));
  useEffect(() => {
    const rendered = location.search.slice(1);
    // An older change leaves the newer ones waiting; after another navigation, none of them applies.
    const index = waiting.current.indexOf(rendered);
    waiting.current = index === -1 ? [] : waiting.current.slice(index + 1);
    latest.current = waiting.current.at(-1) ?? rendered;
  }, [location]);
  return (change, { replace = false, stay = true } = {}) => {
    const next = new URLSearchParams(latest.current);
    change(next);
    latest.current = String(next);
    waiting.current.push(latest.current);
    setParameters(next, { replace, preventScrollReset: stay });
  };
}

/** Sets a parameter and returns to the first page. */
function set(next: URLSearchParams, name: string, values: readonly string[]) {
  next.delete("cursor");
  next.delete(name);
  for (const value of values) next.append(name, value);
}

const hasValues = (filters: Record<string, readonly string[]>) =>
  Object.values(filters).some(({ length }) => length > 0);

export function useListState<Sort extends string = never, Filter extends string = never>({
  sorts = [],
  filters: filterSpec = {} as Readonly<Record<Filter, "any">>,
}: ListSpec<Sort, Filter> = {}): ListState<Sort, Filter> {
  const [parameters] = useSearchParams();
  const [search, setTyped] = useTyped(parameters.get(SEARCH) ?? "");
  const filters = readFilters(parameters, filterSpec);
  const order = readOrder(parameters, sorts);
  const cursor = parameters.get("cursor") || undefined;
  const pageSize = readPageSize(parameters);
  const searchTerm = toSearchTerm(search);
  const write = useParameterWriter();
  const queryOf = (term: string, startAt: string | undefined): ListQuery<Sort> => ({
    includeCounts: true,
    pageSize,
    ...(startAt && { cursor: startAt }),
    ...(order && { sort: toSortParameter(order) }),
    ...(term && { "filter.search": term }),
  });

  return {
    search,
    setSearch(text) {
      setTyped(text);
      write((next) => set(next, SEARCH, text.trim() ? [text.trim()] : []), { replace: true });
    },
    filters,
    setFilter: (name, values) => write((next) => set(next, `filter.${name}`, values)),
    isFiltered: searchTerm !== "" || hasValues(filters),
    clear() {
      setTyped("");
      write((next) => {
        for (const name of ["search", ...Object.keys(filterSpec)]) set(next, `filter.${name}`, []);
      });
    },
    order,
    sortBy: (key) =>
      write((next) =>
        set(next, "sort", [toSortParameter({ key, descending: order?.key === key && !order.descending })]),
      ),
    cursor,
    goTo: (target) => write((next) => next.set("cursor", target), { stay: false }),
    dropCursor: () => write((next) => next.delete("cursor"), { replace: true }),
    pageSize,
    setPageSize: (size) => write((next) => set(next, "pageSize", size === PAGE_SIZE ? [] : [String(size)])),
    write,
    query: queryOf(searchTerm, cursor),
    queryWhenTyped: (text) => queryOf(toSearchTerm(text), undefined),
  };
}
