import { useState } from "react";
import { rememberNetworkFilter } from "../references/network-filter.ts";
import { TagFilter } from "../references/tag-filter.tsx";
import { suggestPorts } from "../rules/typed-port-values.ts";
import { ChevronDownIcon } from "../ui/base/icons.tsx";
import { Button } from "../ui/controls/button.tsx";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { countActive, Toolbar } from "../ui/tables/toolbar.tsx";
import styles from "./matrix-page.module.css";
import { Segments } from "../ui/on-demand/segments.tsx";
import type { MatrixDetail, MatrixState } from "./use-matrix-state.ts";

export function MatrixToolbar({ state }: { state: MatrixState }) {
  const { list, view, viewPath } = state;
  return (
    <Toolbar
      filters={{ chips: <Filters state={state} />, activeCount: countActive(list.filters) }}
      end={
        <div className={styles.views}>
          <DetailMenu state={state} />
          <Segments
            label="Show as"
            segments={[
              { label: "Grid", to: viewPath("grid"), isCurrent: view === "grid" },
              { label: "Table", to: viewPath("table"), isCurrent: view === "table" },
            ]}
          />
        </div>
      }
    >
      <SearchInput label="Search hosts, roles or tags" value={list.search} onChange={list.setSearch} />
    </Toolbar>
  );
}

function Filters({ state: { list, networks, network } }: { state: MatrixState }) {
  const { filters, setFilter } = list;
  const [port, setPort] = useState("");
  return (
    <>
      <FilterChip
        label="Network"
        chosen={network ? [network.id] : []}
        onChange={([networkID]) => {
          rememberNetworkFilter(networkID);
          setFilter("networkID", networkID ? [networkID] : []);
        }}
        nameOf={(id) => networks.data?.find((one) => one.id === id)?.name ?? id}
        choices={networks.data?.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterChip
        label="Port"
        chosen={filters.port}
        onChange={(values) => setFilter("port", values)}
        nameOf={(value) => value}
        choices={suggestPorts(port)}
        onSearch={setPort}
      />
      <TagFilter chosen={filters.tag} onChange={(values) => setFilter("tag", values)} />
    </>
  );
}

const detailLabels: Readonly<Record<MatrixDetail, string>> = {
  roles: "Roles",
  groups: "Role and tags",
  hosts: "Hosts",
};

function DetailMenu({ state: { detail, setDetail } }: { state: MatrixState }) {
  return (
    <Menu
      trigger={
        <Button>
          Detail: {detailLabels[detail]} <ChevronDownIcon width={12} height={12} />
        </Button>
      }
      items={(["roles", "groups", "hosts"] as const).map((one) => ({
        label: detailLabels[one],
        checked: one === detail,
        onSelect: () => setDetail(one),
      }))}
    />
  );
}
