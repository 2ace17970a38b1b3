import type { ComboboxStore } from "@ariakit/react/combobox";
import { useStoreState } from "@ariakit/react/store";
import { lazy, Suspense, type RefObject } from "react";
import { Announcement } from "../base/visually-hidden.tsx";

export interface ComboboxOption {
  value: string;
  label: string;
  /** Muted, after the label. */
  description?: string | undefined;
}

export interface ComboboxOptionsProps {
  store: ComboboxStore;
  options: readonly ComboboxOption[] | undefined;
  failure?: string | undefined;
  /** Marked with a tick. */
  chosen?: string | null | undefined;
  mono?: boolean | undefined;
  /** Shown if there are no options. */
  nothing?: string | undefined;
  /** The anchor of the list; by default the input. */
  anchor?: RefObject<HTMLElement | null> | undefined;
  onChoose: (value: string) => void;
}

// The input is small and loads with its form; the list loads when the input is focused.
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
