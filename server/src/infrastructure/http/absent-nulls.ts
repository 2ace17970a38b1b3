/** Clients of the public API send null for optional fields they don't set: treat those as absent. */
import type { Schema } from "@lightkeeper/contract";
import type * as z from "zod/mini";
import { isOptional, schemaAt, valueAt } from "./schema-paths.ts";

type Parent = Record<PropertyKey, unknown> | null | undefined;

/** Removes each rejected null of an optional field. Returns whether there was one. */
export function removeAbsentNulls(
  schema: Schema,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): boolean {
  let hasRemoved = false;
  for (const { path } of issues) {
    const key = path.at(-1);
    const parent = valueAt(value, path.slice(0, -1)) as Parent;
    const field = schemaAt(schema, path);
    if (key === undefined || parent?.[key] !== null || !field || !isOptional(field)) continue;
    delete parent[key];
    hasRemoved = true;
  }
  return hasRemoved;
}
