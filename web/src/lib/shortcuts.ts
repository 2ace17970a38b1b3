/**
 * Keyboard shortcuts: single keys (`c`) or two in a row (`g n`), never while someone types, and those with the
 * command key (`Mod+k`: ⌘ on a Mac, Ctrl elsewhere), also then.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";

/** A heading of the list that `?` shows. */
export type ShortcutGroup = "Anywhere" | "Lists" | "This page" | "Go to";

export interface Shortcut {
  /** As `KeyboardEvent.key` says it, in the order pressed, separated by a space: "c", "g n", "?", "Mod+k". */
  keys: string;
  description: string;
  group: ShortcutGroup;
  run: () => void;
}

const SEQUENCE_TIMEOUT_MS = 1000;

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key is written on this machine's keyboard. */
export function keyName(key: string): string {
  return key.startsWith("Mod+") ? `${isMac() ? "⌘" : "Ctrl "}${key.slice(4).toUpperCase()}` : key;
}

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

/** Offers a shortcut while the component is shown; `?` lists it under its group, with its description. */
export function useShortcut(
  keys: string,
  description: string,
  run: () => void,
  group: ShortcutGroup = "This page",
): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(
    () => registerShortcut({ keys, description, group, run: () => latest.current() }),
    [keys, description, group],
  );
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => registered);
}

const TYPING =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"]';

/** The key with the command key, where that and nothing else is held with it. */
function commandOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  const isHeld = isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && !altKey && !shiftKey ? `Mod+${key.toLowerCase()}` : undefined;
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const { target } = event;
  return (
    target instanceof Element && target.closest(`${TYPING}, [role="menu"], [role="dialog"], dialog`) !== null
  );
}

const find = (keys: string) => registered.findLast((one) => one.keys === keys);

/** Once a sequence has begun, its second key means nothing else: `g` and then `c` never creates. */
function findAfter(first: string | undefined, key: string): Shortcut | undefined {
  const hasBegun = first !== undefined && registered.some(({ keys }) => keys.startsWith(`${first} `));
  return find(hasBegun ? `${first} ${key}` : key);
}

/** Listens to the document's keys. Of two shortcuts with the same keys the one registered last runs. */
export function listenForShortcuts(): () => void {
  let first: { key: string; at: number } | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.key === "Shift") return;
    const command = commandOf(event);
    if (command === undefined && isForSomethingElse(event)) return;
    const before = first && event.timeStamp - first.at < SEQUENCE_TIMEOUT_MS ? first.key : undefined;
    first = undefined;
    const found = command === undefined ? findAfter(before, event.key) : find(command);
    if (found) {
      event.preventDefault();
      found.run();
    } else if (command === undefined) {
      first = { key: event.key, at: event.timeStamp };
    }
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}
