/** Snapshots of an object in an entry. They can have the shape of any earlier version. */
import type { AuditLog } from "@lightkeeper/contract";

export type Snapshot = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Snapshot =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
export const recordsOf = (value: unknown): Snapshot[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export interface Snapshots {
  before: Snapshot | undefined;
  after: Snapshot | undefined;
  /** The latest snapshot. */
  known: Snapshot;
}

export function snapshotsOf({ event }: Pick<AuditLog, "event">): Snapshots {
  const before = isRecord(event.before) ? event.before : undefined;
  const after = isRecord(event.after) ? event.after : undefined;
  return { before, after, known: after ?? before ?? {} };
}

const jsonOf = (value: unknown) => JSON.stringify(value) ?? "null";

/** The keys whose values differ; none for created and deleted objects. */
export function changedKeys({ before, after }: Pick<Snapshots, "before" | "after">): string[] {
  if (!before || !after) return [];
  return Object.keys({ ...before, ...after }).filter((key) => jsonOf(before[key]) !== jsonOf(after[key]));
}

export interface Differences<Item> {
  added: Item[];
  removed: Item[];
}

/** The added and removed items, regardless of their order. */
export function differences<Item>(before: readonly Item[], after: readonly Item[]): Differences<Item> {
  return { added: without(after, before), removed: without(before, after) };
}

function without<Item>(items: readonly Item[], others: readonly Item[]): Item[] {
  const left = others.map(jsonOf);
  return items.filter((item) => {
    const place = left.indexOf(jsonOf(item));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}
