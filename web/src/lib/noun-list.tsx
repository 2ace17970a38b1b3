import type { Page } from "@lightkeeper/contract";
import { keepPreviousData, useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { LinkButton } from "../ui/controls/button.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { Toolbar } from "../ui/tables/toolbar.tsx";
import { useListKeys } from "./list-keys.ts";
import { useListPage } from "./list-page.ts";
import { useListState, type ListQuery } from "./list-state.ts";
import { queryClient, type ReadKey } from "./query.ts";
import { usePageTitle } from "./title.ts";

export interface NounListProps<Item> {
  /** "Roles" */
  title: string;
  lead: string;
  /** "role" */
  noun: string;
  addPath: string;
  /** What the search looks at: "Search name or description"; left out where the API has none. */
  searchLabel?: string;
  queryOf: (query: ListQuery) => UseQueryOptions<Page<Item>, Error, Page<Item>, ReadKey>;
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string;
  icon: ReactNode;
  /** What to do while there is none. */
  first: string;
  /** Beside the way to add one. */
  actions?: ReactNode;
}

/** The list of a noun that is searched and nothing more. */
export function NounList<Item>(props: NounListProps<Item>) {
  const { title, lead, noun, addPath, searchLabel, queryOf, columns, rowKey, icon, first, actions } = props;
  usePageTitle(title);
  const list = useRef<HTMLDivElement>(null);
  const state = useListState();
  const query = useQuery({ ...queryOf(state.query), placeholderData: keepPreviousData });
  const { total, ...table } = useListPage(
    query,
    state,
    (cursor) => void queryClient.prefetchQuery(queryOf({ ...state.query, cursor })),
  );
  useListKeys(list, {
    add: { description: `Add ${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`, to: addPath },
  });
  // An empty list says itself what to do next.
  const isEmpty = total === 0 && !state.isFiltered;
  const add = (
    <LinkButton writes to={addPath} variant="primary" icon={<PlusIcon />}>
      Add {noun}
    </LinkButton>
  );
  return (
    <PageContent kind="list" ref={list}>
      <PageHeader
        title={title}
        count={total}
        lead={lead}
        actions={
          isEmpty ? undefined : (
            <>
              {actions}
              {add}
            </>
          )
        }
      />
      {!isEmpty && searchLabel && (
        <Toolbar>
          <SearchInput label={searchLabel} value={state.search} onChange={state.setSearch} />
        </Toolbar>
      )}
      <DataTable
        {...table}
        label={title}
        columns={columns}
        rowKey={rowKey}
        filter={
          state.isFiltered
            ? {
                description: (
                  <>
                    No {noun} has <bdi>{state.search}</bdi> in it.
                  </>
                ),
                onClear: state.clear,
              }
            : undefined
        }
        empty={
          <EmptyState icon={icon} title={`No ${noun}s yet`} action={add}>
            {first}
          </EmptyState>
        }
      />
    </PageContent>
  );
}
