import { MAP_HOSTS_MAX } from "@lightkeeper/contract";
import { useMemo, useRef } from "react";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { useHostNames } from "../references/host-names.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Skeleton } from "../ui/feedback/skeleton.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Card } from "../ui/pages/card.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Time } from "../ui/text/time.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { exportMap, type ExportOptions } from "./export-map.ts";
import { BY_ROLE, defaultGroupBy, listTagKeys, type GroupBy } from "./map-groups.ts";
import { MapExplorer } from "./map-explorer.tsx";
import { countPaths, createMapModel, type MapModel } from "./map-model.ts";
import styles from "./map-page.module.css";
import { useNetworkMap } from "./map.queries.ts";
import { GroupTable, MapTable, type MapTableProps } from "./map-table.tsx";
import { MapToolbar } from "./map-toolbar.tsx";
import { firstMatch } from "./use-centered-matches.ts";
import { useMapScene, type LoadedScene, type RoleName } from "./use-map-scene.ts";
import { useMapState, type MapState } from "./use-map-state.ts";

export function MapPage() {
  usePageTitle("Map");
  const state = useMapState();
  const { networks, network } = state;
  const loaded = useNetworkMap(network?.id);
  const names = useHostNames();
  const model = useMemo(() => loaded.data && createMapModel(loaded.data.map), [loaded.data]);
  const page = useRef<HTMLDivElement>(null);
  useShortcut("/", "Search", () => page.current?.querySelector<HTMLElement>("input[type=search]")?.focus());
  const failed = networks.error ? networks : loaded;
  return (
    <PageContent kind="list" ref={page}>
      <PageHeader
        title="Hosts"
        count={model?.map.hostCount}
        lead={<Lead updatedAt={loaded.data?.requestedAt} />}
        actions={
          <LinkButton writes to="/hosts/add" variant="primary" icon={<PlusIcon />}>
            Add host
          </LinkButton>
        }
      />
      {networks.data?.length === 0 ? (
        <NoNetworks />
      ) : failed.error && !model ? (
        <Card>
          <ErrorState
            {...failureOf(failed.error)}
            onRetry={() => void failed.refetch()}
            retrying={failed.isFetching}
          />
        </Card>
      ) : model && names.roles ? (
        <LoadedMap
          key={model.map.networkID}
          model={model}
          state={state}
          roleName={names.roleName}
          isRefreshing={loaded.isFetching}
        />
      ) : (
        <div className={styles.loading}>
          <Skeleton width="100%" height="100%" />
        </div>
      )}
    </PageContent>
  );
}

function Lead({ updatedAt }: { updatedAt: number | undefined }) {
  return (
    <>
      The network as its agents report it.
      {updatedAt !== undefined && (
        <>
          {" "}
          Updated <Time at={new Date(updatedAt).toISOString()} past />.
        </>
      )}
    </>
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
        Add a network and hosts to see them on the map.
      </EmptyState>
    </Card>
  );
}

interface LoadedMapProps {
  model: MapModel;
  state: MapState;
  roleName: RoleName;
  isRefreshing: boolean;
}

function LoadedMap({ model, state, roleName, isRefreshing }: LoadedMapProps) {
  const tagKeys = useMemo(() => listTagKeys(model), [model]);
  const groupBy =
    state.groupBy === BY_ROLE || tagKeys.includes(state.groupBy ?? "")
      ? (state.groupBy ?? BY_ROLE)
      : defaultGroupBy(tagKeys);
  const scene = useMapScene({ model, groupBy, roleName, state });
  const name = state.network?.name ?? "";
  if (model.map.hostCount === 0) return <NoHosts name={name} />;
  function selectFirstMatch(): void {
    const first = firstMatch(scene);
    if (first !== undefined) state.setSelected(model.hosts[first]?.id);
  }
  return (
    <>
      <MapToolbar
        state={state}
        groupBy={groupBy}
        tagKeys={tagKeys}
        onExport={(format) => startExport({ scene, title: `Map of ${name}`, format })}
        onFound={selectFirstMatch}
      />
      {model.map.overview && <OverviewNotice />}
      {state.isTable ? (
        <Table scene={scene} roleName={roleName} isRefreshing={isRefreshing} onClear={state.list.clear} />
      ) : (
        <MapExplorer
          key={groupBy}
          scene={scene}
          state={state}
          roleName={roleName}
          groupCount={groupCountOf(groupBy, scene)}
        />
      )}
      <div className={styles.below}>
        <p aria-live="polite">{summaryOf(scene, groupBy)}</p>
        <Link to={state.viewPath(state.isTable ? "map" : "table")} className={styles.link}>
          {state.isTable ? "View as map" : "View as table"}
        </Link>
      </div>
    </>
  );
}

/** The file shows the whole map, whatever is searched for. */
function startExport({ scene, ...options }: ExportOptions): void {
  exportMap({ ...options, scene: { ...scene, matches: undefined } }).catch((error: unknown) =>
    toast(error instanceof Error ? error.message : String(error)),
  );
}

function OverviewNotice() {
  return (
    <div className={styles.notice}>
      <Notice tone="info">
        This network has more than {formatNumber(MAP_HOSTS_MAX)} hosts, so the map shows only groups.
      </Notice>
    </div>
  );
}

const Table = (props: MapTableProps) =>
  props.scene.model.map.overview ? <GroupTable scene={props.scene} /> : <MapTable {...props} />;

/** "6 sites" */
const groupCountOf = (groupBy: GroupBy, { groups }: LoadedScene) => formatCount(groups.length, groupBy);

function summaryOf(scene: LoadedScene, groupBy: GroupBy): string {
  const { model, tunnels, matches } = scene;
  const { direct, relayed } = countPaths(tunnels);
  return [
    matches && formatCount(matches.size, "match", "matches"),
    groupCountOf(groupBy, scene),
    !model.map.overview && formatCount(tunnels.length, "tunnel"),
    tunnels.length > 0 && `${formatNumber(direct)} direct, ${formatNumber(relayed)} relayed`,
    model.map.tunnels.isTruncated && "some tunnels aren’t shown",
  ]
    .filter(Boolean)
    .join(" · ");
}

function NoHosts({ name }: { name: string }) {
  return (
    <Card>
      <EmptyState
        title="No hosts yet"
        action={
          <LinkButton writes to="/hosts/add" variant="primary">
            Add host
          </LinkButton>
        }
      >
        Add hosts to <bdi>{name}</bdi> to see them on the map.
      </EmptyState>
    </Card>
  );
}
