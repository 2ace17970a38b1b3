import { cloneElement, lazy, Suspense, useState } from "react";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { useTimer } from "../base/timer.ts";

const tooltipTimeoutMs = 500;
/** So soon after another one it does not wait. */
const warmMs = 300;

// A page may have a hundred of them: until one is shown it is two handlers and nothing else. The popup loads when
// something is first pointed at. A page does not fail because a tooltip could not be fetched.
const loadPopup = () => import("./tooltip-popup.tsx").catch(() => ({ default: () => null }));
const TooltipPopup = lazy(loadPopup);

/** One is shown at a time. */
const shown = { hide: (): void => undefined, hiddenAt: -Infinity };

function takeTurn(hide: () => void) {
  shown.hide();
  shown.hide = hide;
}

const noteHidden = () => {
  shown.hiddenAt = Date.now();
};

const isWarm = () => Date.now() - shown.hiddenAt < warmMs;

export interface TooltipProps {
  text: ReactNode;
  /** Shown for as long as this is true, where it was pressed. */
  open?: boolean | undefined;
  children: ReactElement<ComponentProps<"button">>;
}

export function Tooltip({ text, open = false, children }: TooltipProps) {
  /** Whatever was last pointed at, focused or pressed. */
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [isShown, setShown] = useState(false);
  const timer = useTimer();
  const { props } = children;

  function hide() {
    timer.clear();
    noteHidden();
    setShown(false);
  }
  function showAt(element: HTMLElement) {
    timer.clear();
    takeTurn(hide);
    setAnchor(element);
    setShown(true);
  }

  return (
    <>
      {cloneElement(children, {
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
      })}
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
