/** What the palette offers without asking the server: every page that exists, and what can be done. */
import type { ComponentType } from "react";
import { signOut } from "../lib/session.ts";
import { AccountIcon, CheckIcon, LogoutIcon, PlusIcon } from "../ui/icons.tsx";
import { hrefOf, registeredPaths, USER_SETTINGS_PATH, type Entry, type PageEntry } from "./navigation.ts";
import { goKeysOf } from "./page-shortcuts.tsx";

interface CommandLook {
  label: string;
  /** Further words it is found by. */
  words?: string;
  description?: string;
  icon?: ComponentType;
  /** A shortcut that does the same. */
  keys?: string | undefined;
}
export type Command = CommandLook & ({ to: string } | { run: () => void });

export interface CommandGroup {
  label: string;
  commands: readonly Command[];
}

const addable = [
  { noun: "host", list: "/hosts" },
  { noun: "lighthouse", list: "/lighthouses" },
  { noun: "relay", list: "/relays" },
  { noun: "route", list: "/routes" },
  { noun: "role", list: "/roles" },
  { noun: "tag", list: "/tags" },
  { noun: "network", list: "/settings/networks" },
  { noun: "API key", list: "/settings/api-keys" },
];

function actions(registered: ReadonlySet<string>, isReadOnly: boolean): Command[] {
  const has = (path: string) => registered.has(path) && !isReadOnly;
  return [
    ...addable
      .filter(({ list }) => has(list))
      .map(({ noun, list }) => ({
        label: `Add ${noun}`,
        words: "create new",
        icon: PlusIcon,
        to: `${list}/add`,
      })),
    ...(has("/hosts")
      ? [
          {
            label: "Add several hosts",
            words: "bulk csv import create",
            icon: PlusIcon,
            to: "/hosts/add-several",
          },
        ]
      : []),
    ...(has("/tags") ? [{ label: "Reorder tags", words: "priority", to: "/tags/reorder" }] : []),
    { label: "Get started", words: "checklist first steps help", icon: CheckIcon, to: "/get-started" },
    { label: "Log out", words: "sign logout", icon: LogoutIcon, run: () => void signOut() },
  ];
}

interface Surroundings {
  /** As the person gets to see them. */
  entries: readonly Entry[];
  networkFilter: string | null;
  isTypeUser: boolean;
  /** Nothing is offered that changes something. */
  isReadOnly?: boolean;
  registered?: ReadonlySet<string>;
}

export function commandGroups(around: Surroundings): CommandGroup[] {
  const { entries, networkFilter, isTypeUser, isReadOnly = false, registered = registeredPaths } = around;
  const toPage = (entry: PageEntry, icon = entry.icon): Command => ({
    label: entry.label,
    words: "go to open",
    ...(icon && { icon }),
    to: hrefOf(entry, networkFilter),
    keys: goKeysOf(entry.path),
  });
  const pages = entries.flatMap((entry) =>
    entry.kind === "page"
      ? [toPage(entry)]
      : entry.children.flatMap((child) => (child.kind === "page" ? [toPage(child, entry.icon)] : [])),
  );
  const settings: Command[] =
    isTypeUser && registered.has(USER_SETTINGS_PATH)
      ? [
          {
            label: "User settings",
            words: "account authenticator",
            icon: AccountIcon,
            to: USER_SETTINGS_PATH,
          },
        ]
      : [];
  return [
    { label: "Pages", commands: [...pages, ...settings] },
    { label: "Actions", commands: actions(registered, isReadOnly) },
  ];
}

/** Every word is somewhere in the command. Those that begin with what was typed come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = text.trim().toLocaleLowerCase();
  const words = typed.split(/\s+/);
  const isFound = ({ label, words: more = "", description = "" }: Command) => {
    const all = `${label} ${more} ${description}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  };
  const begins = ({ label }: Command) => Number(label.toLocaleLowerCase().startsWith(typed));
  return commands.filter(isFound).sort((one, other) => begins(other) - begins(one));
}
