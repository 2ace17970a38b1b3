import { useMemo, useRef, useState, type RefObject } from "react";
import { useNavigate } from "react-router";
import { formatCount } from "../lib/format.ts";
import { hostPath } from "../references/host-link.tsx";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { describeTarget, findHit, type Hit } from "./map-cursor.ts";
import styles from "./map-explorer.module.css";
import { MapLegend } from "./map-legend.tsx";
import { anchorOf } from "./map-lines.ts";
import { MapPanel } from "./map-panel.tsx";
import { MapWindow, ZoomButtons } from "./map-window.tsx";
import { useCenteredMatches } from "./use-centered-matches.ts";
import { useMapKeys } from "./use-map-keys.ts";
import type { LoadedScene, RoleName } from "./use-map-scene.ts";
import type { MapState } from "./use-map-state.ts";
import { useDrawnScene, useMapView } from "./use-map-view.ts";

interface MapExplorerProps {
  scene: LoadedScene;
  state: MapState;
  roleName: RoleName;
  /** "6 sites" */
  groupCount: string;
}

const isSameHit = (one: Hit | undefined, other: Hit | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

/** Connects the canvas, the keys and the URL. */
function useMap(canvas: RefObject<HTMLCanvasElement | null>, { scene, state }: MapExplorerProps) {
  const navigate = useNavigate();
  const { layout, model } = scene;
  const [pointed, setPointed] = useState<Hit>();

  const select = (position: number | undefined) =>
    state.setSelected(position === undefined ? undefined : model.hosts[position]?.id);
  function open(position: number): void {
    const host = model.hosts[position];
    if (host) void navigate(hostPath(host));
  }
  function toggle(index: number): void {
    const placed = layout.groups[index];
    if (!placed || placed.group.hosts.length === 0) return;
    keepInPlace(placed.group.key, placed.box);
    state.toggle(placed.group.key);
  }
  const { view, scale } = useMapView(canvas, {
    position: state.position,
    onPosition: state.setPosition,
    onClick: (point, tolerance) => {
      const hit = findHit(layout, point, tolerance);
      if (hit && "header" in hit) return toggle(hit.header);
      if (hit) keys.setCursor(hit);
      return select(hit?.host);
    },
    onPoint: (point, tolerance) => {
      const hit = point && findHit(layout, point, tolerance);
      setPointed((last) => (isSameHit(last, hit) ? last : hit));
    },
  });
  const keys = useMapKeys({ scene, view, onSelect: select, onOpen: open, onToggle: toggle });
  const { cursor } = keys;
  const hovered = pointed && "host" in pointed ? pointed.host : undefined;
  const highlights = useMemo(() => ({ cursor, hovered }), [cursor, hovered]);
  const keepInPlace = useDrawnScene(view, scene, highlights);
  useCenteredMatches(scene, view);
  return { view, scale, keys, select, isOverTarget: pointed !== undefined };
}

/** The picture of the network, with the panel of the selected host beside it. */
export function MapExplorer(props: MapExplorerProps) {
  const { scene, state, roleName, groupCount } = props;
  const [canvas, map] = [useRef<HTMLCanvasElement>(null), useRef<HTMLDivElement>(null)];
  const { view, scale, keys, select, isOverTarget } = useMap(canvas, props);
  const { layout, model, selected } = scene;
  const { cursor } = keys;
  const host = selected === undefined ? undefined : model.hosts[selected];
  const hostCount = formatCount(model.map.hostCount, "host");
  return (
    <div className={styles.explorer}>
      <div className={styles.map}>
        <div className={styles.stage}>
          <MapWindow
            ref={map}
            canvas={canvas}
            isOverTarget={isOverTarget}
            label={`Map of ${state.network?.name ?? ""}, ${hostCount} in ${groupCount}`}
            handlers={keys.handlers}
          />
          <ZoomButtons scale={scale} onIn={keys.zoomIn} onOut={keys.zoomOut} onFit={keys.fit} />
        </div>
        <Announcement>{cursor && describeTarget(model, layout, { target: cursor, roleName })}</Announcement>
        <MapLegend />
      </div>
      {host && (
        <MapPanel
          key={host.id}
          scene={scene}
          host={host}
          roleName={roleName}
          onSelect={(position) => {
            select(position);
            const point = anchorOf(layout, position);
            if (point) view.current?.camera.reveal(point);
          }}
          onClose={() => {
            select(undefined);
            map.current?.focus();
          }}
        />
      )}
    </div>
  );
}
