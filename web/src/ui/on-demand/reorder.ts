/** Reordering by keyboard or by dragging. The order changes only when the item is dropped. */
import { useRef, useState, type KeyboardEvent } from "react";
import { useDrag } from "./reorder-drag.ts";

export interface ReorderOptions<Item> {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The name of an item in announcements. */
  nameOf: (item: Item) => string;
  onMove: (from: number, to: number) => void;
}

interface Lifted {
  key: string;
  to: number;
}

export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1));
}

/** The item that is picked up, where it would be dropped, and the announcement of its last move. */
function useLifted<Item>({ items, keyOf, nameOf, onMove }: ReorderOptions<Item>) {
  const [lifted, setLifted] = useState<Lifted>();
  const [announcement, setAnnouncement] = useState("");

  const from = items.findIndex((item) => keyOf(item) === lifted?.key);
  const to = Math.min(lifted?.to ?? 0, items.length - 1);
  const name = from < 0 ? "" : nameOf(items[from]!);
  const at = (index: number) => `position ${index + 1} of ${items.length}`;

  function lift(index: number) {
    const item = items[index]!;
    setLifted({ key: keyOf(item), to: index });
    setAnnouncement(`${nameOf(item)} picked up, ${at(index)}.`);
  }
  function moveTo(index: number) {
    if (!lifted || index === to || index < 0 || index >= items.length) return;
    setLifted({ ...lifted, to: index });
    setAnnouncement(`${name}: ${at(index)}.`);
  }
  function drop() {
    setLifted(undefined);
    if (from < 0) return;
    setAnnouncement(`${name} dropped, ${at(to)}.`);
    if (from !== to) onMove(from, to);
  }
  function cancel() {
    setLifted(undefined);
    setAnnouncement(from < 0 ? "" : `${name} returned to ${at(from)}.`);
  }
  return { lifted, announcement, from, to, lift, moveTo, drop, cancel };
}

/** What a key does on the handle of the item at this index. */
function keyAction(key: string, index: number, moves: ReturnType<typeof useLifted>, count: number) {
  const { from, to, lift, moveTo, drop, cancel } = moves;
  const isLifted = from >= 0;
  const actions: Record<string, (() => void) | undefined> = {
    " ": isLifted ? drop : () => lift(index),
    Enter: isLifted ? drop : () => lift(index),
    ...(isLifted && {
      ArrowUp: () => moveTo(to - 1),
      ArrowDown: () => moveTo(to + 1),
      Home: () => moveTo(0),
      End: () => moveTo(count - 1),
      Escape: cancel,
    }),
  };
  return actions[key];
}

export function useReorder<Item>(options: ReorderOptions<Item>) {
  const { items } = options;
  const list = useRef<HTMLOListElement>(null);
  const moves = useLifted(options);
  const { lifted, announcement, from, to, cancel } = moves;
  const { drag, isDragging } = useDrag({ list, ...moves });

  function onKeyDown(event: KeyboardEvent, index: number) {
    const action = keyAction(event.key, index, moves, items.length);
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  return {
    list,
    announcement,
    liftedKey: from < 0 ? undefined : lifted?.key,
    /** The order if the lifted item were dropped now. */
    order: from < 0 ? items : moveItem(items, from, to),
    /** For the handle of the item at this index of the original order. */
    handleProps: (index: number) => ({
      onKeyDown: (event: KeyboardEvent) => onKeyDown(event, index),
      onPointerDown: drag(index),
      onBlur: () => lifted && !isDragging() && cancel(),
    }),
  };
}
