import { useEffect, useRef, type RefObject } from "react";
import { boundsOf, withMargin } from "./geometry.ts";
import { anchorOf } from "./map-lines.ts";
import type { MapView } from "./map-view.ts";
import type { LoadedScene } from "./use-map-scene.ts";

/** The first match of the search, in the order of the map. */
export const firstMatch = ({ groups, matches }: LoadedScene): number | undefined =>
  groups.flatMap(({ hosts }) => hosts).find(({ position }) => matches?.has(position))?.position;

/** Moves the map to the matches when others are found, but not when the page opens. */
export function useCenteredMatches(
  { layout, matches, model }: LoadedScene,
  view: RefObject<MapView | undefined>,
) {
  const found = [...(matches ?? [])].map((position) => model.hosts[position]?.id).join();
  const shown = useRef(found);
  useEffect(() => {
    if (shown.current === found) return;
    shown.current = found;
    const points = [...(matches ?? [])].flatMap((position) => anchorOf(layout, position) ?? []);
    if (points.length > 0)
      view.current?.camera.show(
        boundsOf(points.map((point) => withMargin({ ...point, width: 0, height: 0 }, 60))),
      );
  }, [found, layout, matches, view]);
}
