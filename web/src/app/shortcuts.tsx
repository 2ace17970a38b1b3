import { lazy, Suspense, useEffect, useState } from "react";
import { listenForShortcuts, useShortcut } from "../lib/shortcuts.ts";
import { PageShortcuts } from "./page-shortcuts.tsx";

const ShortcutsDialog = lazy(() => import("./shortcuts-dialog.tsx"));

/** The shortcuts that work on every page, and the list that `?` opens. */
export function Shortcuts() {
  const [isListOpen, setListOpen] = useState(false);
  useEffect(listenForShortcuts, []);
  useShortcut("?", "Show keyboard shortcuts", () => setListOpen(true), "Anywhere");
  return (
    <>
      <PageShortcuts />
      <Suspense>{isListOpen && <ShortcutsDialog onClose={() => setListOpen(false)} />}</Suspense>
    </>
  );
}
