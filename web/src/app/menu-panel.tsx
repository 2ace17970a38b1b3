import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { CloseIcon, MenuIcon } from "../ui/base/icons.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { AccountSection } from "./account-menu.tsx";
import styles from "./menu-panel.module.css";
import { Sidebar, SidebarHead } from "./sidebar.tsx";

/** From this width on, the sidebar is always visible. */
const WIDE = "(min-width: 915.02px)";

/** The hamburger and the navigation it opens. The native modal traps the focus and handles Escape. */
export function MenuPanel() {
  const [open, setOpen] = useState(false);
  const { key } = useLocation();
  const [lastKey, setLastKey] = useState(key);
  if (key !== lastKey) {
    setLastKey(key);
    setOpen(false);
  }
  const close = useCallback(() => setOpen(false), []);
  return (
    <>
      <IconButton
        label="Menu"
        tooltip={false}
        icon={<MenuIcon />}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      />
      {open && <Panel onClose={close} />}
    </>
  );
}

function Panel({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    const wide = window.matchMedia(WIDE);
    const closeOnBackdrop = ({ target }: Event) => {
      if (target === shown) onClose();
    };
    shown?.showModal();
    shown?.addEventListener("click", closeOnBackdrop);
    wide.addEventListener("change", onClose);
    return () => {
      shown?.removeEventListener("click", closeOnBackdrop);
      wide.removeEventListener("change", onClose);
      // Closing the dialog, unlike removing it, returns the focus to the hamburger.
      shown?.close();
    };
  }, [onClose]);
  const followClose = () => {
    if (!dialog.current?.open) onClose();
  };
  return (
    <dialog ref={dialog} aria-label="Menu" className={styles.panel} onClose={followClose}>
      <div className={styles.content}>
        <div className={styles.head}>
          <SidebarHead />
          <IconButton label="Close menu" tooltip={false} icon={<CloseIcon />} onClick={onClose} />
        </div>
        <Sidebar />
        <AccountSection />
      </div>
    </dialog>
  );
}
