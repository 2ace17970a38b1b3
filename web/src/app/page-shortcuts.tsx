import { useNavigate } from "react-router";
import { useNetworkFilter } from "../references/network-filter.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { goKeysOf, hrefOf, pagesIn, type PageEntry } from "./navigation.ts";
import { useVisibleEntries } from "./sidebar.tsx";

function GoTo({ entry, keys }: { entry: PageEntry; keys: string }) {
  const navigate = useNavigate();
  const filter = useNetworkFilter();
  useShortcut(keys, entry.label, () => void navigate(hrefOf(entry, filter)), "Go to");
  return null;
}

/** Registers a shortcut for every page that the person can see. */
export function PageShortcuts() {
  return pagesIn(useVisibleEntries()).map((entry) => {
    const keys = goKeysOf(entry);
    return keys && <GoTo key={entry.path} entry={entry} keys={keys} />;
  });
}
