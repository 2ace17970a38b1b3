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
import { useListKeys } from "../lib/list-keys.ts";
import { useListPage } from "../lib/list-page.ts";
import { useListState, type ListQuery } from "../lib/list-state.ts";
import { queryClient, type ReadKey } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";

export interface NounListProps<Item> {
  /** "Roles" */
  title: string;
  lead: string;
  /** "role" */
  noun: string;
  addPath: string;
  /** What the search covers: "Search name or description"; omitted where the API has no search. */
  searchLabel?: string;
  queryOf: (query: ListQuery) => UseQueryOptions<Page<Item>, Error, Page<Item>, ReadKey>;
  columns: readonly Column<Item>[];
  rowKey: (item: Item) => string;
  icon: ReactNode;
  /** The hint of the empty list. */
  first: string;
  /** Shown beside the add button. */
  actions?: ReactNode;
  /** Shown above the title. */
  tabs?: ReactNode;
}

/** A list that can be searched, but not filtered or sorted. */
export function NounList<Item>(props: NounListProps<Item>) {
  const { title, lead, noun, addPath, searchLabel, columns, rowKey, icon, first, actions, tabs } = props;
  usePageTitle(title);
  const { list, state, total, table } = useNounList(props);
  // The empty state has its own add button.
  const isEmpty = total === 0 && !state.isFiltered;
  const add = <AddLink to={addPath} noun={noun} />;
  return (
    <PageContent kind="list" ref={list}>
      {tabs}
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
            ? { description: <NoMatch noun={noun} search={state.search} />, onClear: state.clear }
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

function AddLink({ to, noun }: { to: string; noun: string }) {
  return (
    <LinkButton writes to={to} variant="primary" icon={<PlusIcon />}>
      Add {noun}
    </LinkButton>
  );
}

function useNounList<Item>({ noun, addPath, queryOf }: NounListProps<Item>) {
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
  return { list, state, total, table };
}

function NoMatch({ noun, search }: { noun: string; search: string }) {
  return (
    <>
      No {noun} matches <bdi>{search}</bdi>.
    </>
  );
}
