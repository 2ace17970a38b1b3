/** The palette's commands that need no request: pages and actions. */
import type { Person } from "../lib/current-user.ts";
import type { Command, CommandGroup } from "../lib/palette.ts";
import { canCall, canWrite } from "../lib/permissions.ts";
import { signOut } from "../lib/session.ts";
import { AccountIcon, ExternalIcon, LogoutIcon, PlusIcon } from "../ui/base/icons.tsx";
import {
  goKeysOf,
  hrefOf,
  pagesIn,
  registeredPaths,
  USER_SETTINGS_PATH,
  type Entry,
  type ExternalEntry,
  type PageEntry,
} from "./navigation.ts";
import { featureActions } from "./palette-features.ts";

interface PaletteContext {
  /** The entries that the person can see. */
  entries: readonly Entry[];
  networkFilter: string | null;
  /** Only commands that this person can run are offered. */
  person: Person | undefined;
  registered?: ReadonlySet<string>;
}

function addCommands({ entries, person }: PaletteContext): Command[] {
  if (!canWrite(person)) return [];
  return pagesIn(entries).flatMap(({ adds, path }) =>
    adds === undefined
      ? []
      : [{ label: `Add ${adds}`, keywords: "create new", icon: PlusIcon, to: `${path}/add` }],
  );
}

function actions(context: PaletteContext): Command[] {
  const { entries, person } = context;
  const visible = new Set(pagesIn(entries).map(({ path }) => path));
  const available = featureActions.filter(
    ({ page, endpoint }) =>
      (page === undefined || visible.has(page)) && (endpoint === undefined || canCall(person, endpoint)),
  );
  return [
    ...addCommands(context),
    ...available.map(({ command }) => command),
    { label: "Log out", keywords: "sign logout", icon: LogoutIcon, run: () => void signOut() },
  ];
}

function pages({ entries, networkFilter, person, registered = registeredPaths }: PaletteContext): Command[] {
  const toPage = (entry: PageEntry, icon = entry.icon): Command => ({
    label: entry.label,
    keywords: "go to open",
    ...(icon && { icon }),
    to: hrefOf(entry, networkFilter),
    keys: goKeysOf(entry),
  });
  const toExternal = ({ label, url }: ExternalEntry): Command => ({
    label,
    keywords: "go to open docs help manual",
    icon: ExternalIcon,
    href: url,
  });
  const hasSettings = person?.actorType === "user" && registered.has(USER_SETTINGS_PATH);
  return [
    ...entries.flatMap((entry) =>
      entry.kind === "page"
        ? [toPage(entry)]
        : entry.children.map((child) =>
            child.kind === "page" ? toPage(child, entry.icon) : toExternal(child),
          ),
    ),
    ...(hasSettings
      ? [
          {
            label: "User settings",
            keywords: "account authenticator session",
            icon: AccountIcon,
            to: USER_SETTINGS_PATH,
          },
        ]
      : []),
  ];
}

export function commandGroups(context: PaletteContext): [pages: CommandGroup, actions: CommandGroup] {
  return [
    { label: "Pages", commands: pages(context) },
    { label: "Actions", commands: actions(context) },
  ];
}
