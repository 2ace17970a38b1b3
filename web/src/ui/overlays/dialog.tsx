import { lazy, Suspense } from "react";
import type { DialogProps } from "./dialog-popup.tsx";

// The Ariakit dialog loads when a dialog is first opened, so pages may import this file freely.
const DialogPopup = lazy(() => import("./dialog-popup.tsx"));

/** Modal. Focus goes back to where it was; a sheet on narrow screens. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null;
  return (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  );
}
