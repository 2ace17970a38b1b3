import { rememberNetworkFilter } from "../references/network-filter.ts";
import { ChevronDownIcon, DownloadIcon } from "../ui/base/icons.tsx";
import { Button } from "../ui/controls/button.tsx";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { Segments } from "../ui/on-demand/segments.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { countActive, Toolbar } from "../ui/tables/toolbar.tsx";
import { BY_ROLE, type GroupBy } from "./map-groups.ts";
import { tunnelFilters, type TunnelFilter } from "./map-model.ts";
import styles from "./map-page.module.css";
import { MAP_PATH } from "../references/map-path.ts";
import type { MapState } from "./use-map-state.ts";

interface MapToolbarProps {
  state: MapState;
  groupBy: GroupBy;
  tagKeys: readonly string[];
  /** Undefined until there is something to export. */
  onExport: ((format: "png" | "svg") => void) | undefined;
  /** Moves the focus to the first match. */
  onFound: () => void;
}

export function MapToolbar({ state, groupBy, tagKeys, onExport, onFound }: MapToolbarProps) {
  const { list } = state;
  return (
    <Toolbar
      filters={{
        chips: <Filters state={state} groupBy={groupBy} tagKeys={tagKeys} />,
        activeCount: countActive(list.filters),
      }}
      end={
        <div className={styles.end}>
          {onExport && <ExportMenu onExport={onExport} />}
          <Segments
            label="View"
            segments={[
              { label: "List", to: "/hosts", isCurrent: false },
              { label: "Map", to: MAP_PATH, isCurrent: true },
            ]}
          />
        </div>
      }
    >
      <form
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          onFound();
        }}
      >
        <SearchInput label="Find a host on the map" value={list.search} onChange={list.setSearch} />
      </form>
    </Toolbar>
  );
}

const tunnelLabels: Readonly<Record<TunnelFilter, string>> = {
  all: "All",
  direct: "Direct",
  relayed: "Relayed",
};

/** A tag key with its colon, as it's written in tags. */
export const groupByLabel = (groupBy: GroupBy): string => (groupBy === BY_ROLE ? "Role" : `${groupBy}:`);

function Filters({ state, groupBy, tagKeys }: Pick<MapToolbarProps, "state" | "groupBy" | "tagKeys">) {
  const { networks, network } = state;
  return (
    <>
      <FilterChip
        label="Network"
        chosen={network ? [network.id] : []}
        onChange={([networkID]) => {
          rememberNetworkFilter(networkID);
          state.setNetwork(networkID);
        }}
        nameOf={(id) => networks.data?.find((one) => one.id === id)?.name ?? id}
        choices={networks.data?.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Menu
        placement="bottom-start"
        trigger={
          <Button>
            Group by: {groupByLabel(groupBy)} <ChevronDownIcon width={12} height={12} />
          </Button>
        }
        items={[BY_ROLE, ...tagKeys].map((one) => ({
          label: groupByLabel(one),
          checked: one === groupBy,
          onSelect: () => state.setGroupBy(one),
        }))}
      />
      <Menu
        placement="bottom-start"
        trigger={
          <Button>
            Tunnels: {tunnelLabels[state.tunnels]} <ChevronDownIcon width={12} height={12} />
          </Button>
        }
        items={tunnelFilters.map((one) => ({
          label: tunnelLabels[one],
          checked: one === state.tunnels,
          onSelect: () => state.setTunnels(one),
        }))}
      />
    </>
  );
}

function ExportMenu({ onExport }: { onExport: NonNullable<MapToolbarProps["onExport"]> }) {
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon={<DownloadIcon />}>
          Export
        </Button>
      }
      items={[
        { label: "PNG image", onSelect: () => onExport("png") },
        { label: "SVG image", onSelect: () => onExport("svg") },
      ]}
    />
  );
}
