import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { keyName, useShortcut } from "../lib/shortcuts.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { SearchIcon } from "../ui/base/icons.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import styles from "./command-palette.module.css";

const KEYS = "Mod+k";

const load = () => import("./palette-popup.tsx");
const PalettePopup = lazy(load);
const preload = () => void load().catch(() => undefined);

const isCommandKey = ({ key }: KeyboardEvent) => key === "Meta" || key === "Control";

export interface Palette {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

/** Opens with ⌘K or Ctrl+K. Its code is preloaded when the first of the two keys is pressed. */
export function usePalette(): Palette {
  const [isOpen, setOpen] = useState(false);
  useShortcut(KEYS, "Search and run commands", () => setOpen(!isOpen), "Anywhere");
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => isCommandKey(event) && preload();
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const close = useCallback(() => setOpen(false), []);
  return { isOpen, open: () => setOpen(true), close };
}

interface PaletteProps {
  palette: Palette;
}

/** The button in the top bar of narrow screens. */
export function PaletteButton({ palette: { isOpen, open } }: PaletteProps) {
  return (
    <IconButton
      label="Search and commands"
      tooltip={false}
      icon={<SearchIcon />}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={open}
      onPointerEnter={preload}
    />
  );
}

/** The button in the sidebar, with a label and its shortcut. */
export function PaletteField({ palette: { isOpen, open } }: PaletteProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      className={styles.field}
      onClick={open}
      onPointerEnter={preload}
    >
      <SearchIcon />
      Search
      <VisuallyHidden> and commands</VisuallyHidden>
      <kbd>{keyName(KEYS)}</kbd>
    </button>
  );
}

export function CommandPalette({ palette: { isOpen, close } }: PaletteProps) {
  if (!isOpen) return null;
  return (
    <Suspense>
      <PalettePopup onClose={close} />
    </Suspense>
  );
}
