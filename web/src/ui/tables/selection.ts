import { useRef, useState } from "react";

interface State {
  scope: string;
  keys: ReadonlySet<string>;
  isEverything: boolean;
}

export interface Selection {
  /** The selected keys of all pages; ignored while everything is selected. */
  keys: ReadonlySet<string>;
  /** All rows that match the filters are selected, on all pages. */
  isEverything: boolean;
  isEmpty: boolean;
  has: (key: string) => boolean;
  /** With a range, all rows between the last toggled row and this one get the state of this one. */
  toggle: (key: string, page: readonly string[], options?: { range?: boolean | undefined }) => void;
  /** Selects the whole page, or clears it if it is selected. */
  togglePage: (page: readonly string[]) => void;
  selectEverything: () => void;
  clear: () => void;
}

const none: ReadonlySet<string> = new Set();

function between(page: readonly string[], one: string | undefined, other: string): readonly string[] {
  const places = [one === undefined ? -1 : page.indexOf(one), page.indexOf(other)].sort((a, b) => a - b);
  const [from = -1, to = -1] = places;
  return from < 0 ? [other] : page.slice(from, to + 1);
}

/** The selected rows of a list. A different scope, such as other filters, starts with an empty selection. */
export function useSelection(scope: string): Selection {
  const [state, setState] = useState<State>({ scope, keys: none, isEverything: false });
  const lastToggled = useRef<string>(undefined);
  if (state.scope !== scope) setState({ scope, keys: none, isEverything: false });

  const { keys, isEverything } = state;
  const has = (key: string) => isEverything || keys.has(key);
  const select = (next: ReadonlySet<string>) => setState({ scope, keys: next, isEverything: false });

  function change(page: readonly string[], changed: readonly string[], isSelected: boolean) {
    const next = new Set(isEverything ? page : keys);
    for (const key of changed) {
      if (isSelected) next.add(key);
      else next.delete(key);
    }
    select(next);
  }

  return {
    keys,
    isEverything,
    isEmpty: !isEverything && keys.size === 0,
    has,
    toggle(key, page, { range = false } = {}) {
      const changed = range ? between(page, lastToggled.current, key) : [key];
      lastToggled.current = key;
      change(page, changed, !has(key));
    },
    togglePage(page) {
      lastToggled.current = undefined;
      change(page, page, !page.every(has));
    },
    selectEverything: () => setState({ scope, keys: none, isEverything: true }),
    clear: () => select(none),
  };
}
