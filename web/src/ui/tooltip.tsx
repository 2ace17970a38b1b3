import { TooltipAnchor, useTooltipStore } from "@ariakit/react/tooltip";
import { useStoreState } from "@ariakit/react/store";
import { lazy, Suspense, useEffect, useState, type ReactElement, type ReactNode } from "react";

const tooltipTimeoutMs = 500;

// The anchor is light and loads with the page; the popup loads when something is first pointed at or focused. A page
// does not fail because a tooltip could not be fetched.
const loadPopup = () => import("./tooltip-popup.tsx").catch(() => ({ default: () => null }));
const TooltipPopup = lazy(loadPopup);

export interface TooltipProps {
  text: ReactNode;
  /** Shown without being pointed at, for as long as this is true. */
  open?: boolean | undefined;
  children: ReactElement;
}

export function Tooltip({ text, open = false, children }: TooltipProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const store = useTooltipStore({ timeout: tooltipTimeoutMs, placement: "top" });
  const mounted = useStoreState(store, "mounted");

  useEffect(() => {
    if (!open) return;
    store.setAnchorElement(anchor);
    store.show();
    return () => {
      if (!anchor?.matches(":hover, :focus-visible")) store.hide();
    };
  }, [open, anchor, store]);

  return (
    <>
      <TooltipAnchor
        store={store}
        ref={setAnchor}
        render={children}
        onPointerEnter={() => void loadPopup()}
      />
      {mounted && (
        <Suspense>
          <TooltipPopup store={store}>{text}</TooltipPopup>
        </Suspense>
      )}
    </>
  );
}
