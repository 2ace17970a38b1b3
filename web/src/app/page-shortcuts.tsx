import { useNavigate } from "react-router";
import { useNetworkFilter } from "../lib/network-filter.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { hrefOf, type PageEntry } from "./navigation.ts";
import { useVisibleEntries } from "./sidebar.tsx";

/** `g` followed by this key opens the page. */
const goKeys: Readonly<Record<string, string>> = {
  "/hosts": "h",
  "/lighthouses": "l",
  "/relays": "e",
  "/routes": "o",
  "/roles": "r",
  "/certificate-authorities": "c",
  "/tags": "t",
  "/logs/audit": "a",
  "/settings/billing": "b",
  "/settings/networks": "n",
  "/settings/api-keys": "k",
  "/settings/sso": "s",
  "/settings/members": "m",
  "/settings/organization": "i",
  "/downloads": "d",
};

/** The shortcut of a page, if it has one. */
export const goKeysOf = (path: string): string | undefined => {
  const key = goKeys[path];
  return key && `g ${key}`;
};

function GoTo({ entry, keys }: { entry: PageEntry; keys: string }) {
  const navigate = useNavigate();
  const filter = useNetworkFilter();
  useShortcut(keys, entry.label, () => void navigate(hrefOf(entry, filter)), "Go to");
  return null;
}

/** Registers a shortcut for every page that the person can see. */
export function PageShortcuts() {
  const pages = useVisibleEntries()
    .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
    .filter((entry) => entry.kind === "page");
  return pages.map((entry) => {
    const keys = goKeysOf(entry.path);
    return keys && <GoTo key={entry.path} entry={entry} keys={keys} />;
  });
}
