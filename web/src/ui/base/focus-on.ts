import { useEffect, useRef } from "react";

/** Moves the focus to what a selector finds inside `root`, as soon as that has been drawn. */
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
