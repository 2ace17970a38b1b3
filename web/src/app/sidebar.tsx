import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link, useLocation } from "react-router";
import { useNetworkFilter } from "../references/network-filter.ts";
import { classNames } from "../ui/base/class-names.ts";
import { ChevronDownIcon, ExternalIcon } from "../ui/base/icons.tsx";
import { Logo } from "../ui/base/logo.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { Environment } from "./environment.tsx";
import { flagsQuery } from "./flags.ts";
import {
  entries,
  groupAt,
  hrefOf,
  isCurrent,
  registeredPaths,
  visibleEntries,
  type Entry,
  type ExternalEntry,
  type GroupEntry,
  type PageEntry,
} from "./navigation.ts";
import styles from "./sidebar.module.css";

const needsFlags = entries.some(
  (entry) => entry.kind === "page" && entry.flag !== undefined && registeredPaths.has(entry.path),
);

/** The entries that this person can see. */
export function useVisibleEntries(): Entry[] {
  const { data: flags = {} } = useQuery({ ...flagsQuery, enabled: needsFlags });
  return visibleEntries(entries, { registered: registeredPaths, flags });
}

/** After every navigation, only the group of the current page is open. */
function useOpenGroup(all: readonly Entry[]) {
  const { pathname, key } = useLocation();
  const here = groupAt(all, pathname);
  const [open, setOpen] = useState(here);
  const [last, setLast] = useState(key);
  if (key !== last) {
    setLast(key);
    setOpen(here);
  }
  const toggle = (label: string) => setOpen(open === label ? undefined : label);
  return { open, toggle };
}

function PageLink({ entry }: { entry: PageEntry }) {
  const Icon = entry.icon;
  const { pathname } = useLocation();
  return (
    <Link
      className={styles.item}
      to={hrefOf(entry, useNetworkFilter())}
      aria-current={isCurrent(entry, pathname) ? "page" : undefined}
    >
      {Icon && <Icon />}
      {entry.label}
    </Link>
  );
}

function ExternalLink({ entry }: { entry: ExternalEntry }) {
  return (
    <a className={styles.item} href={entry.url} target="_blank" rel="noreferrer">
      {entry.label}
      <ExternalIcon className={styles.mark} />
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </a>
  );
}

function Group({ entry, open, onToggle }: { entry: GroupEntry; open: boolean; onToggle: () => void }) {
  const listID = useId();
  const Icon = entry.icon;
  return (
    <>
      <button
        type="button"
        className={styles.item}
        aria-expanded={open}
        aria-controls={listID}
        onClick={onToggle}
      >
        <Icon />
        {entry.label}
        <ChevronDownIcon className={classNames(styles.mark, open && styles.turned)} />
      </button>
      <ul id={listID} hidden={!open} className={styles.children}>
        {entry.children.map((child) => (
          <li key={child.label}>
            {child.kind === "page" ? <PageLink entry={child} /> : <ExternalLink entry={child} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The navigation: beside the page on wide screens, in the menu panel on narrow ones. */
export function Sidebar() {
  const visible = useVisibleEntries();
  const { open, toggle } = useOpenGroup(visible);
  return (
    <nav aria-label="Main">
      <ul className={styles.list}>
        {visible.map((entry) => (
          <li key={entry.label}>
            {entry.kind === "page" ? (
              <PageLink entry={entry} />
            ) : (
              <Group entry={entry} open={open === entry.label} onToggle={() => toggle(entry.label)} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

export function SidebarHead() {
  return (
    <div className={styles.head}>
      <Link to="/">
        <Logo />
      </Link>
      <Environment />
    </div>
  );
}
