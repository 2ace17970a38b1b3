import { Dialog, DialogDescription, DialogHeading } from "@ariakit/react/dialog";
import { useEffect, useRef, type ReactNode, type RefObject } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./dialog-popup.module.css";
import { CloseIcon } from "../base/icons.tsx";
import { IconButton } from "../controls/icon-button.tsx";

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
  /** Names what is only to be read: the keys scroll it. */
  reading?: string | undefined;
}

export default function DialogPopup(props: DialogProps) {
  const { onClose, title, description, children, actions, size = "medium" } = props;
  const { alert, initialFocus, reading } = props;
  useReturnFocus();
  return (
    <>
      {/* In the page's own tree, where it is to be seen before the dialog has reached the document. */}
      <span hidden data-over-page />
      <Dialog
        open
        onClose={onClose}
        role={alert ? "alertdialog" : "dialog"}
        hideOnInteractOutside={!alert}
        autoFocusOnHide={false}
        getPersistentElements={() => document.querySelectorAll("[data-toaster]")}
        {...(initialFocus && { initialFocus })}
        backdrop={<div className={styles.backdrop} />}
        className={classNames(styles.dialog, size === "large" && styles.large)}
      >
        <DialogHeading className={styles.title}>{title}</DialogHeading>
        <div
          className={styles.body}
          {...(reading !== undefined && { tabIndex: 0, role: "region", "aria-label": reading })}
        >
          {description && (
            <DialogDescription className={styles.description} render={<div />}>
              {description}
            </DialogDescription>
          )}
          {children}
        </div>
        {actions && <footer className={styles.actions}>{actions}</footer>}
        {/* Last in order, so that the first field gets the focus. */}
        <IconButton
          label="Close"
          icon={<CloseIcon />}
          tooltip={false}
          className={styles.close}
          onClick={onClose}
        />
      </Dialog>
    </>
  );
}

/**
 * The dialog exists only while it is open, be it by a trigger or by an address: what had the focus when it appeared
 * gets it back when it goes.
 */
function useReturnFocus() {
  const before = useRef(document.activeElement);
  useEffect(
    () => () => {
      const element = before.current;
      if (element instanceof HTMLElement && element.isConnected) element.focus();
    },
    [],
  );
}
