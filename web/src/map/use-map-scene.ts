import { useMemo } from "react";
import type { MapScene } from "./draw-map.ts";
import { groupHosts, type GroupBy, type MapGroup } from "./map-groups.ts";
import { COLLAPSED_ABOVE, layOutMap } from "./map-layout.ts";
import { linesOfGroups, linesOfHost } from "./map-lines.ts";
import { filterTunnels, findMatches, tunnelsOf, type MapModel, type MapTunnel } from "./map-model.ts";
import type { MapState } from "./use-map-state.ts";

export type RoleName = (roleID: string) => string | undefined;

export interface SceneOptions {
  model: MapModel;
  groupBy: GroupBy;
  roleName: RoleName;
  state: Pick<MapState, "tunnels" | "toggled" | "search" | "selectedID">;
}

export interface LoadedScene extends MapScene {
  readonly groups: readonly MapGroup[];
  /** Those that the filter leaves. */
  readonly tunnels: readonly MapTunnel[];
}

/** Each step is computed again only if what it depends on has changed. */
export function useMapScene({ model, groupBy, roleName, state }: SceneOptions): LoadedScene {
  // A string, because the array is a new one after every render.
  const toggledKeys = JSON.stringify(state.toggled);
  const groups = useMemo(() => groupHosts(model, { groupBy, roleName }), [model, groupBy, roleName]);
  const layout = useMemo(() => {
    const toggled = new Set<string>(JSON.parse(toggledKeys));
    return layOutMap(groups, {
      routes: model.routes,
      hostCount: model.hosts.length,
      isCollapsed: ({ key, counts }) => counts.hosts > COLLAPSED_ABOVE !== toggled.has(key),
    });
  }, [groups, model, toggledKeys]);
  const tunnels = useMemo(() => filterTunnels(model.tunnels, state.tunnels), [model, state.tunnels]);
  const lines = useMemo(() => linesOfGroups(layout, tunnels), [layout, tunnels]);
  const matches = useMemo(
    () => findMatches(model.hosts, state.search, roleName),
    [model, state.search, roleName],
  );
  const selected = model.positions.get(state.selectedID ?? "");
  const selectedLines = useMemo(
    () => (selected === undefined ? undefined : linesOfHost(layout, tunnelsOf(tunnels, selected), selected)),
    [layout, tunnels, selected],
  );
  return useMemo(
    () => ({ model, groups, layout, tunnels, lines, matches, selected, selectedLines }),
    [model, groups, layout, tunnels, lines, matches, selected, selectedLines],
  );
}
