/** What a list shows is said in its address, in the words of the API's query: Back and a copied link bring it back. */
import { PAGE_SIZE } from "@lightkeeper/contract";
import { useState } from "react";
import { NavigationType, useLocation, useNavigationType, useSearchParams } from "react-router";

export const pageSizes = [PAGE_SIZE, 50, 100] as const;

export interface ListSpec<Sort extends string = never, Filter extends string = never> {
  /** What it can be ordered by; the first, ascending, while the address names none. */
  sorts?: readonly Sort[];
  /** What it can be narrowed by, each with the values it takes where they are a closed set. */
  filters?: Readonly<Record<Filter, readonly string[] | "any">>;
}

export interface ListOrder<Sort extends string = string> {
  key: Sort;
  descending: boolean;
}

/** The part of an API query that every list has; filters are added by whoever knows their types. */
export interface ListQuery<Sort extends string = never> {
  includeCounts: boolean;
  pageSize: number;
  cursor?: string;
  sort?: Sort | `-${Sort}`;
  "filter.search"?: string;
}

export interface ListState<Sort extends string = never, Filter extends string = never> {
  /** As it is being typed; the query has it without the white space around it. */
  search: string;
  setSearch: (text: string) => void;
  /** Every filter there is, with no values while it is off. */
  filters: Readonly<Record<Filter, readonly string[]>>;
  setFilter: (name: Filter, values: readonly string[]) => void;
  isFiltered: boolean;
  /** Drops search and filters. */
  clear: () => void;
  /** Undefined for a list with an order of its own. */
  order: ListOrder<Sort> | undefined;
  /** Orders by the key; a second time turns the order round. */
  sortBy: (key: Sort) => void;
  cursor: string | undefined;
  goTo: (cursor: string) => void;
  /** The cursor led nowhere: to the first page, as if it had never been there. */
  dropCursor: () => void;
  pageSize: number;
  setPageSize: (size: number) => void;
  query: ListQuery<Sort>;
  /** What the query becomes when this is typed. */
  queryWhenTyped: (text: string) => ListQuery<Sort>;
}

const SEARCH = "filter.search";
const SEARCH_LENGTH_MAX = 100;

function readFilters<Filter extends string>(
  parameters: URLSearchParams,
  spec: Readonly<Record<Filter, readonly string[] | "any">>,
) {
  const entries = (Object.keys(spec) as Filter[]).map((name) => {
    const allowed = spec[name];
    const given = parameters.getAll(`filter.${name}`).filter((value) => value !== "");
    return [name, allowed === "any" ? given : given.filter((value) => allowed.includes(value))] as const;
  });
  return Object.fromEntries(entries) as unknown as Record<Filter, readonly string[]>;
}

function readOrder<Sort extends string>(
  parameters: URLSearchParams,
  sorts: readonly Sort[],
): ListOrder<Sort> | undefined {
  const given = parameters.get("sort") ?? "";
  const key = sorts.find((one) => one === given.replace(/^-/, ""));
  if (key !== undefined) return { key, descending: given.startsWith("-") };
  return sorts[0] === undefined ? undefined : { key: sorts[0], descending: false };
}

function readPageSize(parameters: URLSearchParams): number {
  return pageSizes.find((size) => String(size) === parameters.get("pageSize")) ?? PAGE_SIZE;
}

/** The address follows the typing in its own time: what is typed is kept here, and given up only when one navigates. */
function useTyped(inAddress: string) {
  const { key } = useLocation();
  const isTyping = useNavigationType() === NavigationType.Replace;
  const [typed, setTyped] = useState({ text: inAddress, key });
  if (typed.key !== key) setTyped({ text: isTyping ? typed.text : inAddress, key });
  return [typed.text, (text: string) => setTyped({ text, key })] as const;
}

const wordsOf = (text: string) => text.trim().slice(0, SEARCH_LENGTH_MAX);

const inWire = <Sort extends string>({ key, descending }: ListOrder<Sort>): Sort | `-${Sort}` =>
  descending ? `-${key}` : key;

export function useListState<Sort extends string = never, Filter extends string = never>({
  sorts = [],
  filters: filterSpec = {} as Readonly<Record<Filter, "any">>,
}: ListSpec<Sort, Filter> = {}): ListState<Sort, Filter> {
  const [parameters, setParameters] = useSearchParams();
  const [search, setTyped] = useTyped(parameters.get(SEARCH) ?? "");
  const filters = readFilters(parameters, filterSpec);
  const order = readOrder(parameters, sorts);
  const cursor = parameters.get("cursor") || undefined;
  const pageSize = readPageSize(parameters);
  const words = wordsOf(search);
  const queryOf = (sought: string, place: string | undefined): ListQuery<Sort> => ({
    includeCounts: true,
    pageSize,
    ...(place && { cursor: place }),
    ...(order && { sort: inWire(order) }),
    ...(sought && { "filter.search": sought }),
  });

  function write(
    change: (next: URLSearchParams) => void,
    options: { replace?: boolean; stay?: boolean } = {},
  ) {
    const next = new URLSearchParams(parameters);
    // The address may not have caught up with the typing yet.
    if (words) next.set(SEARCH, words);
    change(next);
    setParameters(next, { replace: options.replace ?? false, preventScrollReset: options.stay ?? true });
  }
  function set(next: URLSearchParams, name: string, values: readonly string[]) {
    next.delete("cursor");
    next.delete(name);
    for (const value of values) next.append(name, value);
  }

  return {
    search,
    setSearch(text) {
      setTyped(text);
      write((next) => set(next, SEARCH, text.trim() ? [text.trim()] : []), { replace: true });
    },
    filters,
    setFilter: (name, values) => write((next) => set(next, `filter.${name}`, values)),
    isFiltered: words !== "" || Object.values<readonly string[]>(filters).some(({ length }) => length > 0),
    clear() {
      setTyped("");
      write((next) => {
        for (const name of ["search", ...Object.keys(filterSpec)]) set(next, `filter.${name}`, []);
      });
    },
    order,
    sortBy: (key) =>
      write((next) =>
        set(next, "sort", [inWire({ key, descending: order?.key === key && !order.descending })]),
      ),
    cursor,
    goTo: (target) => write((next) => next.set("cursor", target), { stay: false }),
    dropCursor: () => write((next) => next.delete("cursor"), { replace: true }),
    pageSize,
    setPageSize: (size) => write((next) => set(next, "pageSize", size === PAGE_SIZE ? [] : [String(size)])),
    query: queryOf(words, cursor),
    queryWhenTyped: (text) => queryOf(wordsOf(text), undefined),
  };
}
