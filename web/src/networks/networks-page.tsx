import { RequestError, ValidationError, type Network, type Page } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState, type RefObject } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { queryClient } from "../lib/query.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { NetworkIcon, PlusIcon } from "../ui/icons.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { networkColumns } from "./network-columns.tsx";
import { isBrokenFirstPage, networksPageQuery } from "./networks.queries.ts";

const DeleteNetworkDialog = lazy(() => import("./delete-network-dialog.tsx"));

const ADD_PATH = "/settings/networks/add";

export function Component() {
  usePageTitle("Networks");
  const { query, goTo } = useNetworksPage();
  const [deleting, setDeleting] = useState<Network>();
  const stopDeleting = () => setDeleting(undefined);
  // An empty list says itself what to do next.
  const isEmpty = query.data?.metadata.totalCount === 0;
  return (
    <>
      <PageHeader
        title="Networks"
        count={query.data?.metadata.totalCount}
        lead="Each is an overlay of its own, with its own addresses and its own certificate authority."
        actions={
          isEmpty ? undefined : (
            <LinkButton to={ADD_PATH} variant="primary" icon={<PlusIcon />}>
              Add network
            </LinkButton>
          )
        }
      />
      <NetworksTable query={query} goTo={goTo} onDelete={setDeleting} />
      <Suspense>
        {deleting && (
          <DeleteNetworkDialog network={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />
        )}
      </Suspense>
    </>
  );
}

interface NetworksTableProps extends ReturnType<typeof useNetworksPage> {
  onDelete: (network: Network) => void;
}

function NetworksTable({ query, goTo, onDelete }: NetworksTableProps) {
  const { data, error, isFetching, refetch } = query;
  const table = useRef<HTMLDivElement>(null);
  useListShortcuts(table);
  const { next, previous, start, total } = pagesOf(data);

  const prefetchNext = () => void (next && queryClient.prefetchQuery(networksPageQuery(next)));

  return (
    <div ref={table}>
      <DataTable
        label="Networks"
        columns={networkColumns({ onDelete })}
        rows={data?.data}
        rowKey={({ id }) => id}
        refreshing={isFetching}
        failure={error ? { ...failureOf(error), onRetry: () => void refetch() } : undefined}
        empty={<NoNetworks />}
        pagination={{
          start,
          count: data?.data.length ?? 0,
          total,
          onPrevious: previous === undefined ? undefined : () => goTo(previous),
          onNext: next === undefined ? undefined : () => goTo(next),
          onNextIntent: prefetchNext,
        }}
      />
    </div>
  );
}

const failureOf = (error: Error) => ({
  message: messageOf(error),
  requestID: error instanceof RequestError ? error.requestID : undefined,
});

function pagesOf(data: Page<Network> | undefined) {
  const { hasNextPage, nextCursor, hasPrevPage, prevCursor, totalCount, page } = data?.metadata ?? {};
  return {
    next: hasNextPage ? nextCursor : undefined,
    previous: hasPrevPage ? prevCursor : undefined,
    start: page?.start ?? 0,
    total: totalCount ?? data?.data.length ?? 0,
  };
}

function NoNetworks() {
  return (
    <EmptyState
      icon={<NetworkIcon />}
      title="No networks yet"
      action={
        <LinkButton to={ADD_PATH} variant="primary">
          Add network
        </LinkButton>
      }
    >
      Add one, give it a range of addresses, and hosts can join it.
    </EmptyState>
  );
}

/** The page lives in the address. A cursor that leads nowhere good is dropped from it. */
function useNetworksPage() {
  const [parameters, setParameters] = useSearchParams();
  const cursor = parameters.get("cursor") || undefined;
  const query = useQuery({ ...networksPageQuery(cursor), placeholderData: keepPreviousData });
  const { data, error, isPlaceholderData } = query;

  const isRefused =
    error instanceof ValidationError && error.fieldErrors.some(({ path }) => path === "cursor");
  const isPast = data !== undefined && (isBrokenFirstPage(data) || data.data.length === 0);
  const isUseless = cursor !== undefined && (isRefused || (isPast && !isPlaceholderData));
  useEffect(() => {
    if (isUseless) setParameters({}, { replace: true });
  }, [isUseless, setParameters]);

  return { query, goTo: (next: string) => setParameters({ cursor: next }) };
}

/** `j` and `k` walk through the rows' links; Enter opens one because it is a link. */
function useListShortcuts(table: RefObject<HTMLDivElement | null>) {
  const navigate = useNavigate();
  function move(step: number) {
    const links = [...(table.current?.querySelectorAll<HTMLElement>("tbody td:first-child a") ?? [])];
    const current = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
    const target = current < 0 ? links.at(step > 0 ? 0 : -1) : links[current + step];
    target?.focus();
  }
  useShortcut("j", "Next row", () => move(1));
  useShortcut("k", "Previous row", () => move(-1));
  useShortcut("c", "Add a network", () => void navigate(ADD_PATH));
}
