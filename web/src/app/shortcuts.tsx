import { lazy, Suspense, useEffect, useState } from "react";
import { listenForShortcuts, useShortcut } from "../lib/shortcuts.ts";
import { PageShortcuts } from "./page-shortcuts.tsx";

const ShortcutsDialog = lazy(() => import("./shortcuts-dialog.tsx"));

/** The shortcuts of every page, and the list of all that `?` shows. */
export function Shortcuts() {
  const [listed, setListed] = useState(false);
  useEffect(listenForShortcuts, []);
  useShortcut("?", "Show keyboard shortcuts", () => setListed(true), "Anywhere");
  return (
    <>
      <PageShortcuts />
      <Suspense>{listed && <ShortcutsDialog onClose={() => setListed(false)} />}</Suspense>
    </>
  );
}
