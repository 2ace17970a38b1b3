import { Tooltip, type TooltipStore } from "@ariakit/react/tooltip";
import type { ReactNode } from "react";
import { popoverOverflowPaddingPx } from "./popover.ts";
import styles from "./tooltip-popup.module.css";

interface TooltipPopupProps {
  store: TooltipStore;
  children: ReactNode;
}

export default function TooltipPopup({ store, children }: TooltipPopupProps): ReactNode {
  return (
    <Tooltip
      store={store}
      className={styles.popup}
      gutter={6}
      fixed
      overflowPadding={popoverOverflowPaddingPx}
      portalElement={landmarkOf}
    >
      {children}
    </Tooltip>
  );
}

/** Out of the row or paragraph it belongs to, but still in the part of the page that screen readers know. */
function landmarkOf(element: HTMLElement) {
  return element.closest<HTMLElement>("main, nav, header, [data-dialog], [data-toaster]") ?? document.body;
}
