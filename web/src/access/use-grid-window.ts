import { useEffect, useMemo, useState, type RefObject } from "react";
import { areSame } from "../lib/same-values.ts";

/** The sizes of the grid in pixels. */
export interface GridGeometry {
  rowHeight: number;
  columnWidth: number;
  headerHeight: number;
  headerWidth: number;
}

interface Viewport {
  /** How far the grid is scrolled, in steps. */
  top: number;
  left: number;
  width: number;
  height: number;
}

/** Until the size is known. */
const firstViewport: Viewport = { top: 0, left: 0, width: 1200, height: 700 };
/** Scrolling by less renders nothing. */
const STEP_PX = 48;
/** Rendered beyond the edges, so that scrolling shows no gap. */
const OVERSCAN_PX = 48;

const floorToStep = (px: number) => Math.floor(px / STEP_PX) * STEP_PX;

const measure = (element: HTMLElement): Viewport => ({
  top: floorToStep(element.scrollTop),
  left: floorToStep(element.scrollLeft),
  width: element.clientWidth || firstViewport.width,
  height: element.clientHeight || firstViewport.height,
});

/** The size of the scrolling element, and how far it is scrolled. */
export function useViewport(container: RefObject<HTMLElement | null>): Viewport {
  const [viewport, setViewport] = useState(firstViewport);
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const update = () => setViewport((last) => (areSame(last, measure(element)) ? last : measure(element)));
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [container]);
  return viewport;
}

interface Axis {
  /** How far it is scrolled, the size of the visible part and of one item, in pixels. */
  scrolled: number;
  visible: number;
  size: number;
  count: number;
  /** Always rendered: the active item keeps the focus when it is scrolled away. */
  active: number;
}

/** The indexes of the rows or columns to render. */
export function useVisibleIndexes({ scrolled, visible, size, count, active }: Axis): number[] {
  const from = Math.max(0, Math.floor((scrolled - OVERSCAN_PX) / size));
  const to = Math.min(count, Math.ceil((scrolled + STEP_PX + visible + OVERSCAN_PX) / size));
  return useMemo(() => {
    const range = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
    if (active >= count || (active >= from && active < to)) return range;
    return active < from ? [active, ...range] : [...range, active];
  }, [from, to, count, active]);
}
