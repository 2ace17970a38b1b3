import { cloneElement, lazy, Suspense, useState } from "react";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { useTimer } from "../base/timer.ts";

const tooltipTimeoutMs = 500;
/** Within this time after another tooltip, one is shown without delay. */
const warmMs = 300;

// A page may have a hundred tooltips, so each is only two handlers until it is shown. The popup loads on the first
// hover. If it can't be loaded, there is no tooltip, but the page works.
const loadPopup = () => import("./tooltip-popup.tsx").catch(() => ({ default: () => null }));
const TooltipPopup = lazy(loadPopup);

/** Only one tooltip is shown at a time. */
const shown = { hide: (): void => undefined, hiddenAt: -Infinity };

function hideOthers(hide: () => void) {
  shown.hide();
  shown.hide = hide;
}

const recordHidden = () => {
  shown.hiddenAt = Date.now();
};

const isWarm = () => Date.now() - shown.hiddenAt < warmMs;

export interface TooltipProps {
  text: ReactNode;
  /** Keeps the tooltip open where it was pressed. */
  open?: boolean | undefined;
  children: ReactElement<ComponentProps<"button">>;
}

export function Tooltip({ text, open = false, children }: TooltipProps) {
  const { anchor, isShown, hide, handlers } = useTooltip(children.props);
  return (
    <>
      {cloneElement(children, handlers)}
      {anchor && (isShown || open) && (
        <Suspense>
          <TooltipPopup anchor={anchor} onHide={hide} hideTimeoutMs={tooltipTimeoutMs}>
            {text}
          </TooltipPopup>
        </Suspense>
      )}
    </>
  );
}

function useTooltip(props: ComponentProps<"button">) {
  /** The element that was last hovered, focused or pressed. */
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [isShown, setShown] = useState(false);
  const timer = useTimer();

  function hide() {
    timer.clear();
    recordHidden();
    setShown(false);
  }
  function showAt(element: HTMLElement) {
    timer.clear();
    hideOthers(hide);
    setAnchor(element);
    setShown(true);
  }

  const handlers: ComponentProps<"button"> = {
    onMouseEnter(event) {
      props.onMouseEnter?.(event);
      const { currentTarget } = event;
      void loadPopup();
      timer.start(() => showAt(currentTarget), isWarm() ? 0 : tooltipTimeoutMs);
    },
    onMouseLeave(event) {
      props.onMouseLeave?.(event);
      timer.clear();
    },
    onMouseDown(event) {
      props.onMouseDown?.(event);
      if (isShown) hide();
      else timer.clear();
    },
    onClick(event) {
      setAnchor(event.currentTarget);
      props.onClick?.(event);
    },
    onFocus(event) {
      props.onFocus?.(event);
      if (event.currentTarget.matches(":focus-visible")) showAt(event.currentTarget);
    },
    onBlur(event) {
      props.onBlur?.(event);
      if (isShown) hide();
    },
  };
  return { anchor, isShown, hide, handlers };
}
