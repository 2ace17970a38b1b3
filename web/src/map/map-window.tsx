import {
  useId,
  useSyncExternalStore,
  type FocusEventHandler,
  type KeyboardEventHandler,
  type Ref,
} from "react";
import { PlusIcon } from "../ui/base/icons.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import styles from "./map-explorer.module.css";
import { FitIcon, MinusIcon } from "./map-icons.tsx";
import type { Scale } from "./use-map-view.ts";

interface MapWindowProps {
  ref: Ref<HTMLDivElement>;
  canvas: Ref<HTMLCanvasElement>;
  isOverTarget: boolean;
  label: string;
  handlers: {
    onKeyDown: KeyboardEventHandler;
    onFocus: FocusEventHandler;
    onBlur: FocusEventHandler;
  };
}

/** The canvas, which has the focus as a whole; keys move within it. */
export function MapWindow({ ref, canvas, isOverTarget, label, handlers }: MapWindowProps) {
  const id = useId();
  return (
    <>
      <div
        ref={ref}
        role="application"
        tabIndex={0}
        aria-label={label}
        aria-describedby={id}
        className={styles.window}
        {...handlers}
      >
        <canvas
          ref={canvas}
          aria-hidden="true"
          data-over={isOverTarget || undefined}
          className={styles.canvas}
        />
      </div>
      <div id={id} hidden>
        Arrow keys move between hosts, [ and ] between groups. Enter selects a host, and opens the selected
        one. Space collapses or expands the group. Plus, minus and 0 zoom. Escape clears the selection.
      </div>
    </>
  );
}

interface ZoomButtonsProps {
  scale: Scale;
  onIn: () => void;
  onOut: () => void;
  onFit: () => void;
}

export function ZoomButtons({ scale, onIn, onOut, onFit }: ZoomButtonsProps) {
  const percent = useSyncExternalStore(scale.subscribe, scale.get);
  return (
    <div role="group" aria-label="Zoom" className={styles.zoom}>
      <IconButton label="Zoom in" tooltip="Zoom in (+)" icon={<PlusIcon />} onClick={onIn} />
      <span className={styles.percent}>
        {percent}%<VisuallyHidden> zoom</VisuallyHidden>
      </span>
      <IconButton label="Zoom out" tooltip="Zoom out (−)" icon={<MinusIcon />} onClick={onOut} />
      <IconButton label="Fit to screen" tooltip="Fit to screen (0)" icon={<FitIcon />} onClick={onFit} />
    </div>
  );
}
