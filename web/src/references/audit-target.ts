/** How the audit log describes a type of object. Features declare it in `NAME.audit.ts`; `audit/audit-targets.ts` lists it. */
import type { AuditLog, AuditTargetType } from "@lightkeeper/contract";
import type { ComponentType, ReactNode } from "react";
import { textOf, type Snapshots } from "./audit-snapshots.ts";

export interface AuditObject {
  type: AuditTargetType;
  id: string;
  /** Undefined if only the ID is known and the name has to be loaded. */
  name?: string | undefined;
  isGone?: boolean;
}

/** A sentence consists of text and of objects, which are shown as links while they exist. */
export type Part = string | { strong: string } | { object: AuditObject };

export type AuditEntry = Pick<AuditLog, "actor" | "target" | "event" | "targetName" | "actorName">;

/** Describes an entry without its actor, or returns undefined if the general description fits. */
export type EntryDescriber = (
  entry: AuditEntry,
  snapshots: Snapshots,
  objectParts: Part[],
) => Part[] | undefined;

/** Describes the change of one field: "added tag env:prod to host web-1". */
export type FieldDescriber = (before: unknown, after: unknown, objectParts: Part[]) => Part[] | undefined;

export interface AuditField {
  /** Defaults to the field's name in words. */
  label?: string;
  /** Used if no other field changed. */
  describe?: FieldDescriber;
}

/** The name of an object of which only the ID is known. */
export interface LoadedName {
  name: string | undefined;
  isMissing: boolean;
}

export interface NameLoaderProps {
  id: string;
  children: (loaded: LoadedName) => ReactNode;
}

export interface AuditTarget {
  /** In the filter by type: "Networks". */
  label: string;
  /** Before the object's name in a sentence: "network". Undefined if the name is enough. */
  noun: string | undefined;
  /** An organization has exactly one, so the sentence contains the noun instead of a name. */
  isSingleton?: boolean;
  /** The ID is the name. */
  isNamedByID?: boolean;
  /** The field of a snapshot with the name; "name" by default. */
  nameField?: string;
  /** Replaces an empty name: "without a description". */
  unnamed?: string;
  /** The page of the object, unless it has none that everyone can see. */
  path?: (id: string) => string;
  /** Loads the name, for objects that entries about other objects mention by their ID. */
  NameLoader?: ComponentType<NameLoaderProps>;
  /** Fields that only this type has. */
  fields?: Readonly<Record<string, AuditField>>;
  created?: EntryDescriber;
  updated?: EntryDescriber;
  deleted?: EntryDescriber;
}

export const isActorItself = ({ actor, target }: AuditEntry, { known }: Snapshots): boolean =>
  ("id" in actor && actor.id === target.id) || ("email" in actor && actor.email === textOf(known.email));

/** "a", "a and b", "a, b and c" */
export function joinParts(items: readonly Part[][]): Part[] {
  return items.flatMap((item, index) => {
    if (index === 0) return item;
    return [index === items.length - 1 ? " and " : ", ", ...item];
  });
}
