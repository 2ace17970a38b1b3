import { useQuery } from "@tanstack/react-query";
import { useLocation, useSearchParams } from "react-router";
import { useListState } from "../lib/list-state.ts";
import { useNetworkFilter } from "../references/network-filter.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import type { CameraPosition } from "./map-camera.ts";
import { tunnelFilters, type TunnelFilter } from "./map-model.ts";

const filters = { networkID: "any" } as const;

/** "120,80.5,1.25": the middle of the canvas and the scale. */
function readPosition(text: string | null): CameraPosition | undefined {
  const [x, y, k, ...rest] = (text ?? "").split(",").map(Number);
  if (rest.length > 0 || x === undefined || y === undefined || k === undefined) return undefined;
  return [x, y, k].every(Number.isFinite) && k > 0 ? { x, y, k } : undefined;
}

const writePosition = ({ x, y, k }: CameraPosition) =>
  [x.toFixed(1), y.toFixed(1), k.toFixed(3)].map(Number).join();

function setValues(next: URLSearchParams, name: string, values: readonly string[]): void {
  next.delete(name);
  for (const value of values) next.append(name, value);
}

function toggleValue(values: readonly string[], value: string): string[] {
  const remaining = values.filter((one) => one !== value);
  return remaining.length < values.length ? remaining : [...values, value];
}

const changesOf = (write: (change: (next: URLSearchParams) => void) => void) => ({
  setNetwork: (networkID: string | undefined) =>
    write((next) => {
      for (const name of ["host", "at", "toggle"]) next.delete(name);
      setValues(next, "filter.networkID", networkID ? [networkID] : []);
    }),
  setGroupBy: (groupBy: string) =>
    write((next) => {
      for (const name of ["at", "toggle"]) next.delete(name);
      next.set("group", groupBy);
    }),
  setTunnels: (tunnels: TunnelFilter) =>
    write((next) => setValues(next, "tunnels", tunnels === "all" ? [] : [tunnels])),
  setSelected: (hostID: string | undefined) =>
    write((next) => setValues(next, "host", hostID === undefined ? [] : [hostID])),
  setPosition: (position: CameraPosition | undefined) =>
    write((next) => setValues(next, "at", position ? [writePosition(position)] : [])),
  toggle: (groupKey: string) =>
    write((next) => setValues(next, "toggle", toggleValue(next.getAll("toggle"), groupKey))),
});

/** Network, search, grouping, selection and zoom, all of which are in the URL. */
export function useMapState() {
  const list = useListState<never, keyof typeof filters>({ filters });
  const [parameters] = useSearchParams();
  const { pathname } = useLocation();
  const remembered = useNetworkFilter();
  const networks = useQuery(allNetworksQuery);
  const chosenID = list.filters.networkID[0] ?? remembered;
  const network = networks.data?.find(({ id }) => id === chosenID) ?? networks.data?.[0];
  const search = list.query["filter.search"] ?? "";
  function viewPath(view: "map" | "table"): string {
    const next = new URLSearchParams(parameters);
    setValues(next, "view", view === "table" ? [view] : []);
    return `${pathname}?${next}`;
  }
  return {
    list,
    networks,
    network,
    search,
    isTable: parameters.get("view") === "table",
    groupBy: parameters.get("group") ?? undefined,
    tunnels: tunnelFilters.find((filter) => filter === parameters.get("tunnels")) ?? "all",
    selectedID: parameters.get("host") ?? undefined,
    position: readPosition(parameters.get("at")),
    /** The groups that are the other way round than by default. */
    toggled: parameters.getAll("toggle"),
    viewPath,
    // The map adds no entries to the history.
    ...changesOf((change) => list.write(change, { replace: true })),
  };
}

export type MapState = ReturnType<typeof useMapState>;
