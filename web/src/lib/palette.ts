/** What a feature adds to the command palette, in `NAME.palette.ts`. `app/palette-features.ts` lists it. */
import type { Endpoint } from "@lightkeeper/contract";
import type { ComponentType } from "react";
import type { StatusProps } from "../ui/feedback/status.tsx";
import type { Person } from "./current-user.ts";

interface CommandLabel {
  label: string;
  /** Further text that the search matches. */
  keywords?: string;
  description?: string;
  status?: { tone: StatusProps["tone"]; label: string } | undefined;
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

export interface PaletteAction {
  command: Command;
  /** Offered only to people who can see this page in the sidebar. */
  page?: string;
  /** Offered only to people who can call this endpoint. */
  endpoint?: Endpoint;
}

export interface PaletteSearch {
  /** What is in the palette's field. */
  text: string;
  /** What to request from the server: the text after a pause. */
  settledText: string;
  /** The results of the server are those of an earlier text. */
  isOutdated: boolean;
  person: Person | undefined;
  /** The paths of the pages in the sidebar. */
  visiblePaths: ReadonlySet<string>;
}

/** What a feature found. */
export interface PaletteMatches {
  /** Shown before pages and actions. */
  group?: CommandGroup;
  /** Further actions, on objects. */
  actions?: readonly Command[];
  /** The requests that the results come from. */
  queries: readonly { isFetching: boolean; error: Error | null }[];
}
