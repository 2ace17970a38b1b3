import { useStoreState } from "@ariakit/react/store";
import { lazy, Suspense } from "react";
import { Announcement } from "../base/visually-hidden.tsx";
import type { ComboboxPopupProps } from "./combobox-popup.tsx";

export type { ComboboxOption } from "./combobox-popup.tsx";

interface ComboboxOptionsProps extends Omit<ComboboxPopupProps, "note"> {
  failure?: string | undefined;
  /** Shown if there are no options. */
  nothing?: string | undefined;
}

// The input is small and loads with its form; the list loads when a person focuses the input.
const loadPopup = () => import("./combobox-popup.tsx");
const ComboboxPopup = lazy(loadPopup);

export const preloadOptions = (): void => void loadPopup().catch(() => undefined);

export function ComboboxOptions({ failure, nothing = "Nothing matches", ...props }: ComboboxOptionsProps) {
  const mounted = useStoreState(props.store, "mounted");
  const note = failure ?? (props.options ? props.options.length === 0 && nothing : "Searching…");
  return (
    <>
      <Announcement>{mounted && note}</Announcement>
      {mounted && (
        <Suspense>
          <ComboboxPopup {...props} note={note} />
        </Suspense>
      )}
    </>
  );
}
