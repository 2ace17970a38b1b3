/**
 * Each organization's log is a chain: an entry's hash covers the entry and the hash before it, so that a
 * changed, missing or inserted entry breaks every hash after it.
 */
import { createHash } from "node:crypto";

export interface ChainedEntry {
  sequence: number;
  id: string;
  organizationID: string;
  /** RFC 3339 with microseconds, as shown. */
  timestamp: string;
  actor: unknown;
  targetType: string;
  targetID: string;
  eventType: string;
  before: unknown;
  after: unknown;
  /** Absent if unknown. */
  actorAddress?: string;
  /** Absent if the change didn't affect access. */
  accessDiff?: unknown;
}

export const CHAIN_START: Buffer = Buffer.alloc(32);

/** JSON with sorted keys: the same value always gives the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).sort();
  const pairs = keys.map(
    (key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`,
  );
  return `{${pairs.join(",")}}`;
}

export function chainHash(previous: Buffer, entry: ChainedEntry): Buffer {
  return createHash("sha256").update(previous).update(canonicalJson(entry)).digest();
}
