import { usePrefetchQuery } from "@tanstack/react-query";
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef } from "react";
import { useLocation, useSearchParams } from "react-router";
import { useAttention } from "../attention/attention.queries.ts";
import { useListKeys, useSelectKey } from "../lib/list-keys.ts";
import { useListPage } from "../lib/list-page.ts";
import { useListState } from "../lib/list-state.ts";
import { rememberNetworkFilter } from "../references/network-filter.ts";
import { queryClient } from "../lib/query.ts";
import { useStored } from "../lib/stored.ts";
import { usePageTitle } from "../lib/title.ts";
import { DeviceRequestsLink } from "../sso/device-requests-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { ColumnChooser } from "../ui/tables/column-chooser.tsx";
import { DataTable } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { DownloadIcon, HostsIcon, MoreIcon, PlusIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { useSelection } from "../ui/tables/selection.ts";
import { countActive, Toolbar } from "../ui/tables/toolbar.tsx";
import { useBulkJobs } from "./bulk-jobs.ts";
import { choosableColumns, defaultColumns, hostColumns, shownColumns } from "./host-columns.tsx";
import { downloadHosts } from "../references/download-hosts.ts";
import { HostFilterBar } from "./host-filter-bar.tsx";
import { hostListSpec, includesAllKinds, toHostFilter } from "../references/host-filters.ts";
import { HostHealth } from "../references/host-health.tsx";
import { kindDetails, useHostKind } from "../references/host-kind.ts";
import { hostKinds, type HostKind } from "../references/host-link.tsx";
import { useHostNames, type HostNames } from "../references/host-names.ts";
import styles from "./hosts.module.css";
import { hostsPageQuery, toHostsQuery, type HostsQuery } from "../references/hosts.queries.ts";
import { MAP_PATH } from "../references/map-path.ts";
import { allTagsQuery } from "../references/tags.queries.ts";
import { rememberListSearch } from "../references/last-list-path.ts";
import { savedColumns } from "./saved-views.ts";
import { prefetchSearch, useHostsPage } from "./use-hosts-page.ts";
import { ViewSwitch } from "./view-switch.tsx";

// Loaded on demand: most visits make no bulk changes.
const BulkProgress = lazy(() => import("./bulk-progress.tsx"));
const BulkBar = lazy(() => import("./bulk-bar.tsx"));

/** Hosts, lighthouses and relays share this list. */
export function HostsPage() {
  const kind = useHostKind();
  return <HostList key={kind} kind={kind} />;
}

function HostList({ kind }: { kind: HostKind }) {
  const { label, path } = hostKinds[kind];
  const { noun, lead } = kindDetails[kind];
  usePageTitle(label);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, {
    add: { description: `Add a ${noun}`, to: `${path}/add` },
    editPath: (rowPath) => `${rowPath}/edit`,
  });
  useSelectKey(list);
  const jobs = useBulkJobs();
  const hosts = useHostList(kind);
  const { state, names, table } = hosts;
  const area = useRef<HTMLDivElement>(null);
  const attention = useAttention(hosts.filter, { area, enabled: kind === "host" });
  // Rendered in small steps: toolbar, table and items appear together, which would block the page for 150 ms.
  const isPending = useDeferredValue(attention.isPending);
  const isEmpty = table.total === 0 && !state.isFiltered;
  return (
    <PageContent kind="list" ref={list}>
      <PageHeader
        title={label}
        count={table.total}
        lead={lead}
        actions={!isEmpty && <Actions kind={kind} query={hosts.query} names={names} />}
      />
      <Suspense>{jobs.length > 0 && <BulkProgress jobs={jobs} />}</Suspense>
      {/* Requested after the list, which has priority. */}
      {kind === "host" && table.total !== undefined && (
        <div className={styles.requests}>
          <DeviceRequestsLink />
        </div>
      )}
      {/* What is shown while loading is replaced, not moved. */}
      <div key={String(isPending)} ref={area}>
        {kind === "host" && !isEmpty && (
          <Health {...(!isPending && attention)} isFiltered={state.isFiltered} />
        )}
        {!isEmpty && !isPending && <HostsToolbar kind={kind} hosts={hosts} />}
        <HostsTable kind={kind} hosts={hosts} isPending={isPending} />
      </div>
    </PageContent>
  );
}

interface HealthProps extends Partial<Pick<ReturnType<typeof useAttention>, "health" | "shown">> {
  isFiltered: boolean;
}

/** Nothing without hosts, whose list explains how to add the first one. */
function Health({ health, shown, isFiltered }: HealthProps) {
  const [list] = useSearchParams();
  const isEmpty = health && Object.values(health).every((count) => count === 0);
  if (isEmpty && !isFiltered) return null;
  return (
    <>
      {shown?.List && <shown.List {...shown} />}
      <HostHealth health={health} list={list} />
    </>
  );
}

/** The state of the list, from the URL and from this browser's storage. */
function useHostList(kind: HostKind) {
  const state = useListState(hostListSpec);
  const names = useDeferredValue(useHostNames());
  // The order of a host's tags is known when its row appears.
  usePrefetchQuery(allTagsQuery);
  const filter = toHostFilter(state.filters, kind);
  const query = toHostsQuery(state.query, filter);
  const { page, total } = useHostsPage(query);
  const prefetch = (cursor: string) => queryClient.prefetchQuery(hostsPageQuery({ ...query, cursor }));
  const table = useListPage(page, state, prefetch, total);
  function setSearch(text: string) {
    prefetchSearch(toHostsQuery(state.queryWhenTyped(text), filter));
    state.setSearch(text);
  }
  const search = query["filter.search"];
  const selection = useSelection(JSON.stringify({ ...filter, search }));
  const [chosen, chooseColumns] = useStored(savedColumns[kind]);
  const { search: locationSearch } = useLocation();
  useEffect(() => rememberListSearch(kind, locationSearch), [kind, locationSearch]);
  const [networkID] = state.filters.networkID;
  useEffect(() => {
    if (networkID) rememberNetworkFilter(networkID);
  }, [networkID]);
  const withKind = includesAllKinds(state.filters, kind);
  const withNetwork = networkID === undefined && (names.networks?.length ?? 0) > 1;
  const columns = useMemo(
    () => hostColumns(names, { withKind, withNetwork }),
    [names, withKind, withNetwork],
  );
  const shown = chosen ?? defaultColumns(kind);
  return {
    state,
    names,
    filter: { ...filter, ...(search && { search }) },
    query,
    setSearch,
    table,
    selection,
    columns,
    shown,
    shownColumns: useMemo(() => shownColumns(columns, shown), [columns, shown]),
    chooseColumns,
  };
}

interface HostListProps {
  kind: HostKind;
  hosts: ReturnType<typeof useHostList>;
}

function HostsToolbar({ kind, hosts }: HostListProps) {
  const { state, names, columns, shown, chooseColumns } = hosts;
  return (
    <Toolbar
      filters={{
        chips: <HostFilterBar kind={kind} state={state} names={names} />,
        activeCount: countActive(state.filters),
      }}
      end={
        <>
          <ViewSwitch kind={kind} columns={shown} onColumns={chooseColumns} />
          <ColumnChooser columns={choosableColumns(columns)} shown={shown} onChange={chooseColumns} />
          {kind === "host" && <LinkButton to={MAP_PATH}>Map</LinkButton>}
        </>
      }
    >
      <SearchInput
        label="Search name, address, tag or role"
        value={state.search}
        onChange={hosts.setSearch}
      />
    </Toolbar>
  );
}

function HostsTable({ kind, hosts, isPending }: HostListProps & { isPending: boolean }) {
  const { state, table, selection, filter } = hosts;
  const { total, ...rows } = table;
  const isReadOnly = useReadOnly();
  return (
    <>
      <DataTable
        {...rows}
        {...(isPending && { rows: undefined })}
        label={hostKinds[kind].label}
        columns={hosts.shownColumns}
        rowKey={({ id }) => id}
        scope={state.search}
        selection={isReadOnly ? undefined : { state: selection, nameOf: ({ name }) => name }}
        order={state.order}
        onSort={(key) => state.sortBy(key as Parameters<typeof state.sortBy>[0])}
        empty={<NoHosts kind={kind} />}
        filter={
          state.isFiltered
            ? {
                description: `No ${kindDetails[kind].noun}s match your search and filters.`,
                onClear: state.clear,
              }
            : undefined
        }
      />
      <Suspense>
        {!selection.isEmpty && (
          <BulkBar
            kind={kind}
            selection={selection}
            filter={filter}
            total={total}
            page={rows.rows?.map(({ id }) => id) ?? []}
          />
        )}
      </Suspense>
    </>
  );
}

interface ActionsProps {
  kind: HostKind;
  query: HostsQuery;
  names: HostNames;
}

function Actions({ kind, query, names }: ActionsProps) {
  const { label, path } = hostKinds[kind];
  const download = { query, names, fileName: `${label.toLowerCase()}.csv`, noun: kindDetails[kind].noun };
  return (
    <>
      <Menu
        trigger={<IconButton label={"More actions"} icon={<MoreIcon />} bordered />}
        items={[
          ...(kind === "host"
            ? [{ label: "Add several hosts", writes: true, icon: <PlusIcon />, to: `${path}/add-several` }]
            : []),
          { label: "Export as CSV", icon: <DownloadIcon />, onSelect: () => void downloadHosts(download) },
        ]}
      />
      <LinkButton writes to={`${path}/add`} variant="primary" icon={<PlusIcon />}>
        Add {kindDetails[kind].noun}
      </LinkButton>
    </>
  );
}

function NoHosts({ kind }: { kind: HostKind }) {
  const { label, path } = hostKinds[kind];
  const { noun, emptyHint } = kindDetails[kind];
  return (
    <EmptyState
      icon={<HostsIcon />}
      title={`No ${label.toLowerCase()} yet`}
      action={
        <>
          <LinkButton writes to={`${path}/add`} variant="primary">
            Add {noun}
          </LinkButton>
          {kind !== "relay" && <LinkButton to="/get-started">See the steps</LinkButton>}
        </>
      }
    >
      {emptyHint}
    </EmptyState>
  );
}
