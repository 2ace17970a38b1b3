import { useEffect, useRef, useState, type RefObject } from "react";
import type { Highlights, MapScene } from "./draw-map.ts";
import type { Point } from "./geometry.ts";
import type { CameraPosition } from "./map-camera.ts";
import { MapView, type MapViewEvents } from "./map-view.ts";

interface MapViewOptions extends Pick<MapViewEvents, "onClick" | "onPoint"> {
  /** Where the map starts; undefined to show all of it. */
  position: CameraPosition | undefined;
  /** When the map has stopped moving; undefined if all of it is shown. */
  onPosition: (position: CameraPosition | undefined) => void;
}

/** A value that changes often: only those who read it are rendered again. */
export interface Scale {
  get: () => number;
  set: (percent: number) => void;
  subscribe: (listener: () => void) => () => void;
}

function createScale(): Scale {
  let current = 100;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (percent) => {
      current = percent;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Creates the view of the canvas. Returns it with the scale in percent. */
export function useMapView(canvas: RefObject<HTMLCanvasElement | null>, options: MapViewOptions) {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const view = useRef<MapView>(undefined);
  const [scale] = useState(createScale);
  useEffect(() => {
    if (!canvas.current) return undefined;
    const created = new MapView(canvas.current, {
      onMove: (position, { isMoving, isFitted }) => {
        scale.set(Math.round(position.k * 100));
        if (!isMoving) latest.current.onPosition(isFitted ? undefined : position);
      },
      onClick: (point, tolerance) => latest.current.onClick(point, tolerance),
      onPoint: (point, tolerance) => latest.current.onPoint(point, tolerance),
    });
    view.current = created;
    if (latest.current.position) created.camera.moveTo(latest.current.position);
    return () => created.stop();
  }, [canvas, scale]);
  return { view, scale };
}

/** Draws the scene. Returns a function that keeps a group in place while the next layout is drawn. */
export function useDrawnScene(
  view: RefObject<MapView | undefined>,
  scene: MapScene,
  highlights: Highlights,
): (groupKey: string, before: Point) => void {
  const followed = useRef<{ key: string; before: Point }>(undefined);
  useEffect(() => {
    view.current?.setScene(scene);
    const group = scene.layout.groups.find(({ group: { key } }) => key === followed.current?.key);
    if (group && followed.current) view.current?.camera.follow(followed.current.before, group.box);
    followed.current = undefined;
  }, [view, scene]);
  useEffect(() => view.current?.setHighlights(highlights), [view, highlights]);
  return (key, before) => {
    followed.current = { key, before };
  };
}
