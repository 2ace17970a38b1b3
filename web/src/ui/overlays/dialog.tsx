import { lazy, Suspense } from "react";
import type { DialogProps } from "./dialog-popup.tsx";

// The Ariakit dialog loads when a dialog is first opened, so importing this file costs little.
const DialogPopup = lazy(() => import("./dialog-popup.tsx"));

/** A modal dialog, or a sheet on narrow screens. It returns the focus when it closes. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null;
  return (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  );
}
