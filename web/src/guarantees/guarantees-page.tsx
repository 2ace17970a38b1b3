import { guaranteeStates, type Guarantee } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState, type ReactNode } from "react";
import { useListKeys } from "../lib/list-keys.ts";
import { useListPage } from "../lib/list-page.ts";
import { useListState, type ListState } from "../lib/list-state.ts";
import { queryClient } from "../lib/query.ts";
import { AccessTabs } from "../on-demand/access-tabs.tsx";
import { usePageTitle } from "../lib/title.ts";
import { GUARANTEE_ADD_PATH } from "../references/guarantee-link.ts";
import { rememberNetworkFilter } from "../references/network-filter.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { DataTable } from "../ui/tables/data-table.tsx";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { countActive, Toolbar } from "../ui/tables/toolbar.tsx";
import { BrokenPair } from "./broken-pair.tsx";
import { GuaranteesEmpty } from "./guarantees-empty.tsx";
import { guaranteeColumns } from "./guarantee-columns.tsx";
import type { GuaranteeActions } from "./guarantee-menu.tsx";
import { stateLabels } from "./guarantee-state.tsx";
import { guaranteesPageQuery, type GuaranteeListState } from "./guarantees.queries.ts";

const SuspendGuaranteeDialog = lazy(() => import("./suspend-guarantee-dialog.tsx"));
const DeleteGuaranteeDialog = lazy(() => import("./delete-guarantee-dialog.tsx"));

export function GuaranteesPage() {
  const [suspending, setSuspending] = useState<Guarantee>();
  const [deleting, setDeleting] = useState<Guarantee>();
  const stopDeleting = () => setDeleting(undefined);
  usePageTitle("Guarantees");
  return (
    <>
      <GuaranteeList onSuspend={setSuspending} onDelete={setDeleting} />
      <Suspense>
        {suspending && (
          <SuspendGuaranteeDialog guarantee={suspending} onClose={() => setSuspending(undefined)} />
        )}
        {deleting && (
          <DeleteGuaranteeDialog guarantee={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />
        )}
      </Suspense>
    </>
  );
}

const LEAD =
  "What must always or never be reachable. A change that breaks a guarantee is rejected, no matter who makes it.";

function GuaranteeList(actions: GuaranteeActions) {
  const { list, state, total, table, networkName } = useGuaranteeList();
  const isEmpty = total === 0 && !state.isFiltered;
  const add = (
    <LinkButton writes to={GUARANTEE_ADD_PATH} variant="primary" icon={<PlusIcon />}>
      Add guarantee
    </LinkButton>
  );
  return (
    <PageContent kind="list" ref={list}>
      <AccessTabs />
      <PageHeader title="Guarantees" count={total} lead={LEAD} actions={isEmpty ? undefined : add} />
      {!isEmpty && (
        <Toolbar
          filters={{ chips: <GuaranteeFilters state={state} />, activeCount: countActive(state.filters) }}
        >
          <SearchInput
            label="Search role, tag, host or description"
            value={state.search}
            onChange={state.setSearch}
          />
        </Toolbar>
      )}
      <DataTable
        {...table}
        label="Guarantees"
        columns={guaranteeColumns({ ...actions, networkName })}
        rowKey={({ id }) => id}
        rowDetail={brokenPairOf(actions)}
        filter={state.isFiltered ? { description: describeFilters(state), onClear: state.clear } : undefined}
        empty={<GuaranteesEmpty action={add} />}
      />
    </PageContent>
  );
}

const brokenPairOf =
  ({ onSuspend }: Pick<GuaranteeActions, "onSuspend">) =>
  (guarantee: Guarantee) =>
    guarantee.state === "failing" &&
    guarantee.counterexample && <BrokenPair guarantee={guarantee} onSuspend={onSuspend} />;

const filters = { state: guaranteeStates, networkID: "any" } as const;
type GuaranteesState = ListState<never, keyof typeof filters>;

function useGuaranteeList() {
  const list = useRef<HTMLDivElement>(null);
  const state = useListState<never, keyof typeof filters>({ filters });
  const [chosenState] = state.filters.state as readonly GuaranteeListState[];
  const [networkID] = state.filters.networkID;
  const pageQuery = {
    ...state.query,
    ...(chosenState && { "filter.state": chosenState }),
    ...(networkID && { "filter.networkID": networkID }),
  };
  const query = useQuery({ ...guaranteesPageQuery(pageQuery), placeholderData: keepPreviousData });
  const { total, ...table } = useListPage(
    query,
    state,
    (cursor) => void queryClient.prefetchQuery(guaranteesPageQuery({ ...pageQuery, cursor })),
  );
  useListKeys(list, { add: { description: "Add a guarantee", to: GUARANTEE_ADD_PATH } });
  return { list, state, total, table, networkName: useNetworks().networkName };
}

function useNetworks() {
  const { data: networks } = useQuery(allNetworksQuery);
  const networkName = (id: string) => networks?.find((network) => network.id === id)?.name;
  return { networks, networkName };
}

const stateChoices = guaranteeStates.map((value) => ({ value, label: stateLabels[value] }));
const stateName = (value: string) => stateLabels[value as GuaranteeListState];

function GuaranteeFilters({
  state: { filters: chosen, setFilter, isFiltered, clear },
}: {
  state: GuaranteesState;
}) {
  const { networks, networkName } = useNetworks();
  return (
    <>
      <FilterChip
        label="State"
        chosen={chosen.state}
        onChange={(values) => setFilter("state", values)}
        nameOf={stateName}
        choices={stateChoices}
      />
      <FilterChip
        label="Network"
        chosen={chosen.networkID}
        onChange={([networkID]) => {
          rememberNetworkFilter(networkID);
          setFilter("networkID", networkID ? [networkID] : []);
        }}
        nameOf={(id) => networkName(id) ?? id}
        choices={networks?.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {isFiltered && (
        <Button variant="quiet" onClick={clear}>
          Clear
        </Button>
      )}
    </>
  );
}

function describeFilters({ search, filters: { state, networkID } }: GuaranteesState): ReactNode {
  const hasFilters = state.length + networkID.length > 0;
  if (search.trim() === "") return "No guarantee matches the filters.";
  return (
    <>
      No guarantee matches <bdi>{search}</bdi>
      {hasFilters && " and the filters"}.
    </>
  );
}
