import { useEffect, useRef, useState, useSyncExternalStore, type FocusEvent } from "react";
import { Button } from "../controls/button.tsx";
import { classNames } from "../base/class-names.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { CheckIcon, CloseIcon, InfoIcon, WarningIcon } from "../base/icons.tsx";
import { startTimer } from "../base/timer.ts";
import { closeToast, dangerLifeMs, toastLifeMs, toastStore, type ToastEntry } from "./toast.ts";
import styles from "./toaster.module.css";

const icons = { ok: CheckIcon, info: InfoIcon, danger: WarningIcon };

/** Rendered once, at the end of the page. */
export function Toaster() {
  const entries = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  const { isAttended, attention, release } = useAttention();

  function close(id: number) {
    release();
    closeToast(id);
  }

  return (
    <section aria-label="Notifications" data-toaster className={styles.region} {...attention}>
      <ol aria-live="polite" aria-relevant="additions" className={styles.list}>
        {entries.map((entry) => (
          <Toast key={entry.id} entry={entry} isPaused={isAttended} onClose={() => close(entry.id)} />
        ))}
      </ol>
    </section>
  );
}

/** Whether the region is hovered or focused, and a function that returns the focus to where it came from. */
function useAttention() {
  const region = useRef<HTMLElement>(null);
  const focusBefore = useRef<Element>(null);
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);

  const attention = {
    ref: region,
    onMouseEnter: () => setHovered(true),
    onMouseLeave: () => setHovered(false),
    onFocus(event: FocusEvent<HTMLElement>) {
      if (!region.current?.contains(event.relatedTarget)) focusBefore.current = event.relatedTarget;
      setFocused(true);
    },
    onBlur: () => setFocused(false),
  };

  function release() {
    const hasFocus = region.current?.contains(document.activeElement);
    setHovered(false);
    setFocused(false);
    if (hasFocus && focusBefore.current instanceof HTMLElement) focusBefore.current.focus();
  }

  return { isAttended: isHovered || isFocused, attention, release };
}

interface ToastProps {
  entry: ToastEntry;
  isPaused: boolean;
  onClose: () => void;
}

function Toast({ entry, isPaused, onClose }: ToastProps) {
  const { id, message, tone = "ok", requestID, action } = entry;
  useLife(id, { lifeMs: tone === "danger" ? dangerLifeMs : toastLifeMs, isRunning: !isPaused });
  const Icon = icons[tone];
  return (
    <li className={classNames(styles.toast, styles[tone])}>
      <Icon className={styles.icon} />
      <div className={styles.text}>
        <p className={styles.message}>{message}</p>
        {requestID && (
          <p className={styles.request}>
            Request <code>{requestID}</code>
            <CopyButton what="request ID" value={requestID} />
          </p>
        )}
      </div>
      {action && (
        <Button
          size="small"
          onClick={() => {
            onClose();
            action.onSelect();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        label="Close notification"
        icon={<CloseIcon />}
        tooltip={false}
        size="small"
        onClick={onClose}
      />
    </li>
  );
}

function useLife(id: number, { lifeMs, isRunning }: { lifeMs: number; isRunning: boolean }) {
  const remainingMs = useRef(lifeMs);
  useEffect(() => {
    if (!isRunning) return;
    const startedAt = Date.now();
    const timer = startTimer(() => closeToast(id), remainingMs.current);
    return () => {
      timer.clear();
      remainingMs.current -= Date.now() - startedAt;
    };
  }, [id, isRunning]);
}
