/** The palette's commands that need no request: pages and actions. */
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

interface CommandLabel {
  label: string;
  /** Further text that the search matches. */
  keywords?: string;
  description?: string;
  status?: { tone: StatusProps["tone"]; word: string } | undefined;
  icon?: ComponentType;
  /** The shortcut for the same command. */
  keys?: string | undefined;
}

type CommandTarget =
  | { to: string }
  /** Opens in a new tab. */
  | { href: string }
  | { run: () => void }
  /** Keeps the palette open with this text. */
  | { fill: string };

export type Command = CommandLabel & CommandTarget;

export interface CommandGroup {
  label: string;
  commands: readonly Command[];
}

/** Followed by the name of the host to block. */
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

interface PaletteContext {
  /** The entries that the person can see. */
  entries: readonly Entry[];
  networkFilter: string | null;
  /** Only commands that this person can run are offered. */
  person: Person | undefined;
  registered?: ReadonlySet<string>;
}

const pathsIn = (entries: readonly Entry[]) =>
  new Set(
    entries
      .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
      .flatMap((entry) => (entry.kind === "page" ? [entry.path] : [])),
  );

function addCommands(has: (path: string) => boolean, person: Person | undefined): Command[] {
  const add = (label: string, to: string, keywords = ""): Command => ({
    label,
    keywords: `create new ${keywords}`,
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
    ...(has("/tags") ? [{ label: "Reorder tags", keywords: "priority", to: "/tags/reorder" }] : []),
  ];
}

function actions({ entries, person, registered = registeredPaths }: PaletteContext): Command[] {
  const visible = pathsIn(entries);
  const has = (path: string) => registered.has(path) && visible.has(path);
  const candidates: [condition: boolean, command: Command][] = [
    [
      has("/hosts") && canCall(person, blockHostV2),
      { label: "Block host…", keywords: "revoke disconnect", icon: BlockIcon, fill: BLOCK_PREFIX },
    ],
    [
      has(CAS_PATH) && canCall(person, rotateCa),
      {
        label: "Rotate certificate authority…",
        keywords: "ca renew replace",
        icon: RefreshIcon,
        to: CAS_PATH,
      },
    ],
    [
      has("/hosts"),
      {
        label: "Export hosts",
        keywords: "download csv lighthouses relays",
        icon: DownloadIcon,
        run: () => void exportAllHosts(),
      },
    ],
    [
      has("/logs/audit"),
      {
        label: "Export audit log",
        keywords: "download csv ndjson logs",
        icon: DownloadIcon,
        to: "/logs/audit/export",
      },
    ],
  ];
  return [
    ...addCommands(has, person),
    ...candidates.filter(([isAvailable]) => isAvailable).map(([, command]) => command),
    { label: "Get started", keywords: "checklist first steps help", icon: CheckIcon, to: "/get-started" },
    { label: "Log out", keywords: "sign logout", icon: LogoutIcon, run: () => void signOut() },
  ];
}

function pages({ entries, networkFilter, person, registered = registeredPaths }: PaletteContext): Command[] {
  const toPage = (entry: PageEntry, icon = entry.icon): Command => ({
    label: entry.label,
    keywords: "go to open",
    ...(icon && { icon }),
    to: hrefOf(entry, networkFilter),
    keys: goKeysOf(entry.path),
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

/** The commands that contain every typed word, those that start with the typed text first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = text.trim().toLocaleLowerCase();
  const words = typed.split(/\s+/);
  const isFound = ({ label, keywords = "", description = "", status }: Command) => {
    const all = `${label} ${keywords} ${description} ${status?.word ?? ""}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  };
  const startsWithText = ({ label }: Command) => Number(label.toLocaleLowerCase().startsWith(typed));
  return commands.filter(isFound).sort((a, b) => startsWithText(b) - startsWithText(a));
}
