import { lazy, Suspense, type ReactNode, type RefObject } from "react";

// The Ariakit dialog loads when a dialog is first opened, so pages may import this file freely.
const DialogPopup = lazy(() => import("./dialog-popup.tsx"));

export interface DialogProps {
  open: boolean;
  /** Escape, the close button and a click outside ask for this. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The row of buttons at the bottom; the one that acts comes last. */
  actions?: ReactNode;
  size?: "medium" | "large" | undefined;
  /** An alert interrupts: a click outside does not close it. */
  alert?: boolean | undefined;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
}

/** Modal. Focus goes back to where it was; a sheet on narrow screens. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null;
  return (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  );
}
