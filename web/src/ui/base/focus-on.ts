import { useEffect, useRef } from "react";

/** Focuses the element that matches a selector inside `root`, after the next render. */
export function useFocusOn() {
  const root = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const element = root.current?.querySelector<HTMLElement>(wanted.current);
    element?.focus();
    if (element) wanted.current = undefined;
  });
  return { root, focusOn: (selector: string) => void (wanted.current = selector) };
}
