/**
 * Keyboard shortcuts: single keys (`c`) or sequences of two (`g n`), which are off while typing, and those with the
 * command key (`Mod+k`: ⌘ on a Mac, Ctrl elsewhere), which always work.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";

/** A heading in the list that `?` opens. */
export type ShortcutGroup = "Anywhere" | "Lists" | "This page" | "Go to";

export interface Shortcut {
  /** Values of `KeyboardEvent.key` in the order pressed, separated by a space: "c", "g n", "?", "Mod+k". */
  keys: string;
  description: string;
  group: ShortcutGroup;
  run: () => void;
}

const SEQUENCE_TIMEOUT_MS = 1000;

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** The label of a key on this machine's keyboard. */
export function keyName(key: string): string {
  return key.startsWith("Mod+") ? `${isMac() ? "⌘" : "Ctrl "}${key.slice(4).toUpperCase()}` : key;
}

let registered: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function setRegistered(next: readonly Shortcut[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

export function registerShortcut(shortcut: Shortcut): () => void {
  setRegistered([...registered, shortcut]);
  return () => setRegistered(registered.filter((candidate) => candidate !== shortcut));
}

/** Registers a shortcut while the component is mounted. */
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

/** The key pressed together with the command key and no other modifier. */
function commandOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  const isCommand = isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isCommand && !altKey && !shiftKey ? `Mod+${key.toLowerCase()}` : undefined;
}

function isUsedElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const { target } = event;
  return (
    target instanceof Element && target.closest(`${TYPING}, [role="menu"], [role="dialog"], dialog`) !== null
  );
}

const find = (keys: string) => registered.findLast((shortcut) => shortcut.keys === keys);

/** Within a sequence, the second key is never a shortcut of its own: `g` then `c` never creates. */
function findAfter(first: string | undefined, key: string): Shortcut | undefined {
  const isSequence = first !== undefined && registered.some(({ keys }) => keys.startsWith(`${first} `));
  return find(isSequence ? `${first} ${key}` : key);
}

/** Listens for key presses. If two shortcuts have the same keys, the one registered last runs. */
export function listenForShortcuts(): () => void {
  let first: { key: string; at: number } | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.key === "Shift") return;
    const command = commandOf(event);
    if (command === undefined && isUsedElsewhere(event)) return;
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
