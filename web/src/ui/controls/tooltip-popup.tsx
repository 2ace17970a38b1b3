import { Tooltip, useTooltipStore } from "@ariakit/react/tooltip";
import { useLayoutEffect, type ReactNode } from "react";
import { popoverOverflowPaddingPx } from "../base/popover.ts";
import styles from "./tooltip-popup.module.css";

interface TooltipPopupProps {
  anchor: HTMLElement;
  onHide: () => void;
  hideTimeoutMs: number;
  children: ReactNode;
}

export default function TooltipPopup({
  anchor,
  onHide,
  hideTimeoutMs,
  children,
}: TooltipPopupProps): ReactNode {
  const store = useTooltipStore({
    open: true,
    setOpen: (isOpen) => isOpen || onHide(),
    placement: "top",
    timeout: hideTimeoutMs,
  });
  useLayoutEffect(() => store.setAnchorElement(anchor), [store, anchor]);
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

/** Outside the row or paragraph of the element, but inside its landmark, which screen readers need. */
function landmarkOf(element: HTMLElement) {
  return element.closest<HTMLElement>("main, nav, header, [data-dialog], [data-toaster]") ?? document.body;
}
