import { MATRIX_ROWS_MAX, type AccessMatrix, type NetworkV2 } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { AccessTabs } from "../on-demand/access-tabs.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { AccessHeader } from "./access-header.tsx";
import { matrixQuery } from "./access.queries.ts";
import { MatrixExplorer } from "./matrix-explorer.tsx";
import { createMatrixModel } from "./matrix-model.ts";
import styles from "./matrix-page.module.css";
import { MatrixTable } from "./matrix-table.tsx";
import { MatrixToolbar } from "./matrix-toolbar.tsx";
import { useMatrixState, type MatrixState } from "./use-matrix-state.ts";

const ROWS_REACH_COLUMNS = "Rows reach columns.";

function leadOf(matrix: AccessMatrix | undefined): string {
  if (!matrix) return `What hosts can reach, at a glance. ${ROWS_REACH_COLUMNS}`;
  const hosts = formatCount(matrix.hostCount, "host");
  if (matrix.detail === "hosts") return `${hosts}. ${ROWS_REACH_COLUMNS}`;
  if (matrix.detail === "roles")
    return `${hosts} in ${formatCount(matrix.groupCount, "role")}. ${ROWS_REACH_COLUMNS}`;
  const groups = formatCount(matrix.groupCount, "group");
  return `${hosts} in ${groups} with the same role and relevant tags. ${ROWS_REACH_COLUMNS}`;
}

export function MatrixPage() {
  usePageTitle("Access matrix");
  const state = useMatrixState();
  const { network, networks, query } = state;
  const matrix = useQuery({
    ...matrixQuery(network?.id ?? "", query),
    enabled: network !== undefined,
    placeholderData: keepPreviousData,
  });
  const page = useRef<HTMLDivElement>(null);
  useShortcut("/", "Search", () => page.current?.querySelector<HTMLElement>("input[type=search]")?.focus());
  const failed = networks.error ? networks : matrix;
  return (
    <PageContent kind="list" ref={page}>
      <AccessTabs />
      <AccessHeader view="matrix" title="Access matrix" lead={leadOf(matrix.data)} />
      {networks.data?.length === 0 ? (
        <NoNetworks />
      ) : (
        <>
          <MatrixToolbar state={state} />
          {failed.error && !matrix.data ? (
            <Card>
              <ErrorState
                {...failureOf(failed.error)}
                onRetry={() => void failed.refetch()}
                retrying={failed.isFetching}
              />
            </Card>
          ) : (
            <Loaded state={state} matrix={matrix.data} network={network} isFetching={matrix.isFetching} />
          )}
        </>
      )}
    </PageContent>
  );
}

function NoNetworks() {
  return (
    <Card>
      <EmptyState
        title="No networks yet"
        action={
          <LinkButton writes to="/settings/networks/add" variant="primary">
            Add network
          </LinkButton>
        }
      >
        Add a network and hosts to see who can reach whom.
      </EmptyState>
    </Card>
  );
}

interface LoadedProps {
  state: MatrixState;
  matrix: AccessMatrix | undefined;
  network: NetworkV2 | undefined;
  isFetching: boolean;
}

function Loaded({ state, matrix, network, isFetching }: LoadedProps) {
  const model = useMemo(() => matrix && createMatrixModel(matrix), [matrix]);
  if (!matrix || !model)
    return (
      <Card padded={false}>
        <SkeletonRows rows={10} />
      </Card>
    );
  if (model.rows.length === 0) return <NoRows state={state} network={network} />;
  return (
    <>
      {matrix.groupCount > matrix.groups.length && (
        <div className={styles.notice}>
          <Notice tone="info">
            Shows the first {formatNumber(MATRIX_ROWS_MAX)} of {formatNumber(matrix.groupCount)} rows. Search
            or filter to see the others.
          </Notice>
        </div>
      )}
      {state.view === "table" ? (
        <MatrixTable model={model} isRefreshing={isFetching} />
      ) : (
        <MatrixExplorer model={model} state={state} />
      )}
    </>
  );
}

function NoRows({ state: { isFiltered, list }, network }: Pick<LoadedProps, "state" | "network">) {
  return (
    <Card>
      {isFiltered ? (
        <EmptyState title="Nothing matches" action={<Button onClick={list.clear}>Clear</Button>}>
          No host matches the search and filters.
        </EmptyState>
      ) : (
        <EmptyState title="No hosts yet">
          Add hosts to <bdi>{network?.name}</bdi> to see who can reach whom.
        </EmptyState>
      )}
    </Card>
  );
}
