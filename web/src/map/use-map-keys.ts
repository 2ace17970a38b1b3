import { useState, type KeyboardEvent, type RefObject } from "react";
import type { MapTarget } from "./draw-map.ts";
import {
  directions,
  enterGroup,
  findNext,
  groupOf,
  pointOf,
  stepGroup,
  type Direction,
} from "./map-cursor.ts";
import type { MapView } from "./map-view.ts";
import type { LoadedScene } from "./use-map-scene.ts";

interface MapKeysOptions {
  scene: LoadedScene;
  view: RefObject<MapView | undefined>;
  onSelect: (position: number | undefined) => void;
  onOpen: (position: number) => void;
  onToggle: (groupIndex: number) => void;
}

const ZOOM_FACTOR = 1.4;
const isDirection = (key: string): key is Direction => key in directions;

/** The keys and buttons that zoom. */
const zoomActions = (view: RefObject<MapView | undefined>) => ({
  zoomIn: () => view.current?.camera.zoomBy(ZOOM_FACTOR),
  zoomOut: () => view.current?.camera.zoomBy(1 / ZOOM_FACTOR),
  fit: () => view.current?.camera.fit(),
});

/** Where the keys start: at the selected host, otherwise in the first group. */
function startOf({ layout, selected }: LoadedScene): MapTarget | undefined {
  if (selected === undefined) return enterGroup(layout, 0);
  const isShown = layout.points[selected] !== undefined;
  return isShown ? { host: selected } : enterGroup(layout, layout.groupIndexes[selected] ?? -1);
}

/** One host or collapsed group has the focus; keys move it, select, open, collapse and zoom. */
export function useMapKeys({ scene, view, onSelect, onOpen, onToggle }: MapKeysOptions) {
  const { layout, selected } = scene;
  const [moved, setCursor] = useState<MapTarget>();
  const [hasFocus, setFocus] = useState(false);
  // A host in a group that was collapsed has no place any more.
  const remaining = moved && (pointOf(layout, moved) ? moved : enterGroup(layout, groupOf(layout, moved)));
  const cursor = remaining ?? startOf(scene);
  const { zoomIn, zoomOut, fit } = zoomActions(view);

  function moveTo(target: MapTarget | undefined): void {
    setCursor(target);
    const point = target && pointOf(layout, target);
    if (point) view.current?.camera.reveal(point);
  }
  function activate(): void {
    if (!cursor) return;
    if ("group" in cursor) onToggle(cursor.group);
    else if (cursor.host === selected) onOpen(cursor.host);
    else onSelect(cursor.host);
  }
  const actions: Readonly<Record<string, () => void>> = {
    Enter: activate,
    " ": () => cursor && onToggle(groupOf(layout, cursor)),
    "[": () => moveTo(stepGroup(layout, cursor, -1)),
    "]": () => moveTo(stepGroup(layout, cursor, 1)),
    Home: () => moveTo(enterGroup(layout, 0)),
    End: () => moveTo(enterGroup(layout, layout.groups.length - 1)),
    "+": zoomIn,
    "=": zoomIn,
    "-": zoomOut,
    "0": fit,
    ...(selected !== undefined && { Escape: () => onSelect(undefined) }),
  };
  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event;
    if (event.altKey || event.metaKey || event.ctrlKey || !cursor) return;
    // The first arrow key only shows where the cursor is.
    const move = () => moveTo(remaining ? (findNext(layout, cursor, key as Direction) ?? cursor) : cursor);
    const action = isDirection(key) ? move : actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  const handlers = { onKeyDown, onFocus: () => setFocus(true), onBlur: () => setFocus(false) };
  return { cursor: hasFocus ? cursor : undefined, setCursor, handlers, zoomIn, zoomOut, fit };
}
