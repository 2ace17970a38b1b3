import { useEffect, useRef, type RefObject } from "react";
import { anchorOf } from "./map-lines.ts";
import type { MapView } from "./map-view.ts";
import type { LoadedScene } from "./use-map-scene.ts";

/** The first match of the search, in the order of the map. */
export const firstMatch = ({ groups, matches }: LoadedScene): number | undefined =>
  groups.flatMap(({ hosts }) => hosts).find(({ position }) => matches?.has(position))?.position;

/** Moves the map to the first match when another host becomes the first one, but not when the page opens. */
export function useCenteredMatch(scene: LoadedScene, view: RefObject<MapView | undefined>): void {
  const first = firstMatch(scene);
  const id = first === undefined ? undefined : scene.model.hosts[first]?.id;
  const centered = useRef(id);
  useEffect(() => {
    if (centered.current === id) return;
    centered.current = id;
    const point = first === undefined ? undefined : anchorOf(scene.layout, first);
    if (point) view.current?.camera.center(point);
  }, [first, id, scene, view]);
}
