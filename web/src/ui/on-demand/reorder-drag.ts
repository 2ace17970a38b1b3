import { useEffect, useRef, type PointerEvent as ReactPointerEvent, type RefObject } from "react";

const EDGE_PX = 56;
const SCROLL_PX = 14;
const SCROLL_INTERVAL_MS = 16;

interface DragOptions {
  list: RefObject<HTMLOListElement | null>;
  lift: (index: number) => void;
  moveTo: (index: number) => void;
  drop: () => void;
  cancel: () => void;
}

/** Listens on the window, because the handle itself moves and would lose the pointer. */
export function useDrag(options: DragOptions) {
  const latest = useRef(options);
  const stop = useRef<() => void>(undefined);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => () => stop.current?.(), []);

  const drag = (index: number) => (event: ReactPointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return;
    latest.current.lift(index);
    stop.current?.();
    stop.current = follow(event.clientY, event.currentTarget, latest, () => (stop.current = undefined));
  };
  return { drag, isDragging: () => stop.current !== undefined };
}

function follow(
  startY: number,
  handle: Element,
  latest: RefObject<DragOptions>,
  onEnd: () => void,
): () => void {
  let y = startY;
  const listening = new AbortController();
  const { signal } = listening;
  const place = () => latest.current.moveTo(placeAt(y, latest.current.list.current, handle));
  const scroll = setInterval(() => {
    if (y > EDGE_PX && y < window.innerHeight - EDGE_PX) return;
    window.scrollBy(0, y <= EDGE_PX ? -SCROLL_PX : SCROLL_PX);
    place();
  }, SCROLL_INTERVAL_MS);
  const end = () => {
    clearInterval(scroll);
    listening.abort();
    onEnd();
  };
  const endWith = (how: "drop" | "cancel") => () => {
    end();
    latest.current[how]();
  };
  const onMove = (event: PointerEvent) => {
    y = event.clientY;
    place();
  };
  const onKey = (event: KeyboardEvent) => event.key === "Escape" && endWith("cancel")();
  window.addEventListener("pointermove", onMove, { signal });
  window.addEventListener("pointerup", endWith("drop"), { signal });
  window.addEventListener("pointercancel", endWith("cancel"), { signal });
  window.addEventListener("keydown", onKey, { signal });
  return end;
}

/** The number of other rows whose middle is above the pointer. */
function placeAt(y: number, list: Element | null, handle: Element): number {
  const others = [...(list?.children ?? [])].filter((row) => !row.contains(handle));
  return others.filter((row) => {
    const { top, height } = row.getBoundingClientRect();
    return top + height / 2 < y;
  }).length;
}
