/** Keyboard shortcuts: single keys (`c`) or two in a row (`g n`), never while someone types. */
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** As `KeyboardEvent.key` says it, in the order pressed, separated by a space: "c", "g n", "?". */
  keys: string;
  description: string;
  run: () => void;
}

const SEQUENCE_TIMEOUT_MS = 1000;

let registered: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function become(next: readonly Shortcut[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

export function registerShortcut(shortcut: Shortcut): () => void {
  become([...registered, shortcut]);
  return () => become(registered.filter((one) => one !== shortcut));
}

/** Offers a shortcut while the component is shown; `?` lists it under its description. */
export function useShortcut(keys: string, description: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => registerShortcut({ keys, description, run: () => latest.current() }), [keys, description]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => registered);
}

const TYPING = 'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"]';

function isForSomethingElse(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return true;
  const { target } = event;
  return (
    target instanceof Element && target.closest(`${TYPING}, [role="menu"], [role="dialog"], dialog`) !== null
  );
}

/** Listens to the document's keys. Of two shortcuts with the same keys the one registered last runs. */
export function listenForShortcuts(): () => void {
  let first: { key: string; at: number } | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (isForSomethingElse(event) || event.key === "Shift") return;
    const before = first && event.timeStamp - first.at < SEQUENCE_TIMEOUT_MS ? `${first.key} ` : "";
    first = undefined;
    const find = (keys: string) => registered.findLast((one) => one.keys === keys);
    const found = (before && find(before + event.key)) || find(event.key);
    if (found) {
      event.preventDefault();
      found.run();
    } else {
      first = { key: event.key, at: event.timeStamp };
    }
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}
