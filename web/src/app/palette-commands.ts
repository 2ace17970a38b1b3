/** What the palette offers without asking the server: every page that exists, and what can be done. */
import { blockHostV2, inviteMember, rotateCa } from "@lightkeeper/contract";
import type { ComponentType } from "react";
import { CAS_PATH } from "../certificate-authorities/ca-paths.ts";
import type { Person } from "../lib/current-user.ts";
import { canCall, canWrite } from "../lib/permissions.ts";
import { signOut } from "../lib/session.ts";
import {
  AccountIcon,
  BlockIcon,
  CheckIcon,
  DownloadIcon,
  ExternalIcon,
  LogoutIcon,
  PlusIcon,
  RefreshIcon,
} from "../ui/base/icons.tsx";
import type { StatusProps } from "../ui/feedback/status.tsx";
import {
  hrefOf,
  registeredPaths,
  USER_SETTINGS_PATH,
  type Entry,
  type ExternalEntry,
  type PageEntry,
} from "./navigation.ts";
import { goKeysOf } from "./page-shortcuts.tsx";
import { exportAllHosts } from "../hosts/export-all-hosts.ts";

interface CommandLook {
  label: string;
  /** Further words it is found by. */
  words?: string;
  description?: string;
  status?: { tone: StatusProps["tone"]; word: string } | undefined;
  icon?: ComponentType;
  /** A shortcut that does the same. */
  keys?: string | undefined;
}

type CommandAct =
  | { to: string }
  /** Outside the console: opens in a new tab. */
  | { href: string }
  | { run: () => void }
  /** The palette stays open with this text. */
  | { fill: string };

export type Command = CommandLook & CommandAct;

export interface CommandGroup {
  label: string;
  commands: readonly Command[];
}

/** What comes after it names the host to block. */
export const BLOCK_PREFIX = "Block ";

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

interface Surroundings {
  /** As the person gets to see them. */
  entries: readonly Entry[];
  networkFilter: string | null;
  /** Nothing is offered that this person may not do. */
  person: Person | undefined;
  registered?: ReadonlySet<string>;
}

const pathsIn = (entries: readonly Entry[]) =>
  new Set(
    entries
      .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
      .flatMap((entry) => (entry.kind === "page" ? [entry.path] : [])),
  );

function additions(has: (path: string) => boolean, person: Person | undefined): Command[] {
  const add = (label: string, to: string, words = ""): Command => ({
    label,
    words: `create new ${words}`,
    icon: PlusIcon,
    to,
  });
  if (!canWrite(person)) return [];
  return [
    ...addable.filter(({ list }) => has(list)).map(({ noun, list }) => add(`Add ${noun}`, `${list}/add`)),
    ...(has("/hosts") ? [add("Add several hosts", "/hosts/add-several", "bulk csv import")] : []),
    ...(has("/settings/members") && canCall(person, inviteMember)
      ? [add("Invite member", "/settings/members/invite", "add user person")]
      : []),
    ...(has("/tags") ? [{ label: "Reorder tags", words: "priority", to: "/tags/reorder" }] : []),
  ];
}

function actions({ entries, person, registered = registeredPaths }: Surroundings): Command[] {
  const visible = pathsIn(entries);
  const has = (path: string) => registered.has(path) && visible.has(path);
  const offered: [condition: boolean, command: Command][] = [
    [
      has("/hosts") && canCall(person, blockHostV2),
      { label: "Block host…", words: "revoke disconnect", icon: BlockIcon, fill: BLOCK_PREFIX },
    ],
    [
      has(CAS_PATH) && canCall(person, rotateCa),
      {
        label: "Rotate certificate authority…",
        words: "ca renew replace",
        icon: RefreshIcon,
        to: CAS_PATH,
      },
    ],
    [
      has("/hosts"),
      {
        label: "Export hosts",
        words: "download csv lighthouses relays",
        icon: DownloadIcon,
        run: () => void exportAllHosts(),
      },
    ],
    [
      has("/logs/audit"),
      {
        label: "Export audit log",
        words: "download csv ndjson logs",
        icon: DownloadIcon,
        to: "/logs/audit/export",
      },
    ],
  ];
  return [
    ...additions(has, person),
    ...offered.filter(([isOffered]) => isOffered).map(([, command]) => command),
    { label: "Get started", words: "checklist first steps help", icon: CheckIcon, to: "/get-started" },
    { label: "Log out", words: "sign logout", icon: LogoutIcon, run: () => void signOut() },
  ];
}

function pages({ entries, networkFilter, person, registered = registeredPaths }: Surroundings): Command[] {
  const toPage = (entry: PageEntry, icon = entry.icon): Command => ({
    label: entry.label,
    words: "go to open",
    ...(icon && { icon }),
    to: hrefOf(entry, networkFilter),
    keys: goKeysOf(entry.path),
  });
  const outside = ({ label, url }: ExternalEntry): Command => ({
    label,
    words: "go to open docs help manual",
    icon: ExternalIcon,
    href: url,
  });
  const hasSettings = person?.actorType === "user" && registered.has(USER_SETTINGS_PATH);
  return [
    ...entries.flatMap((entry) =>
      entry.kind === "page"
        ? [toPage(entry)]
        : entry.children.map((child) => (child.kind === "page" ? toPage(child, entry.icon) : outside(child))),
    ),
    ...(hasSettings
      ? [
          {
            label: "User settings",
            words: "account authenticator session",
            icon: AccountIcon,
            to: USER_SETTINGS_PATH,
          },
        ]
      : []),
  ];
}

export function commandGroups(around: Surroundings): [pages: CommandGroup, actions: CommandGroup] {
  return [
    { label: "Pages", commands: pages(around) },
    { label: "Actions", commands: actions(around) },
  ];
}

/** Every word is somewhere in the command. Those that begin with what was typed come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = text.trim().toLocaleLowerCase();
  const words = typed.split(/\s+/);
  const isFound = ({ label, words: more = "", description = "", status }: Command) => {
    const all = `${label} ${more} ${description} ${status?.word ?? ""}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  };
  const begins = ({ label }: Command) => Number(label.toLocaleLowerCase().startsWith(typed));
  return commands.filter(isFound).sort((one, other) => begins(other) - begins(one));
}
