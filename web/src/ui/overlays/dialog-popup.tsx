import { Dialog, DialogDescription, DialogHeading } from "@ariakit/react/dialog";
import { useEffect, useRef, type ReactNode, type RefObject } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./dialog-popup.module.css";
import { CloseIcon } from "../base/icons.tsx";
import { IconButton } from "../controls/icon-button.tsx";

export interface DialogProps {
  open: boolean;
  /** Called by Escape, the close button and a click outside. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons at the bottom; the primary one comes last. */
  actions?: ReactNode;
  size?: "medium" | "large" | undefined;
  /** An alert dialog: a click outside doesn't close it. */
  alert?: boolean | undefined;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** The accessible name of read-only content, which the arrow keys scroll. */
  reading?: string | undefined;
}

export default function DialogPopup(props: DialogProps) {
  const { onClose, title, description, children, actions, size = "medium" } = props;
  const { alert, initialFocus, reading } = props;
  useReturnFocus();
  return (
    <>
      {/* Part of the page's own tree, so that it is visible before the dialog is in the document. */}
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
        {/* Last in the DOM, so that the first field gets the focus. */}
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

/** The dialog is mounted only while it is open. On unmount, the element that had the focus gets it back. */
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
