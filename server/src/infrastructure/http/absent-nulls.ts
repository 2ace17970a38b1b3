/** Clients of the public API send null for an optional field they do not set: it means that the field is absent. */
import type { Schema } from "@lightkeeper/contract";
import type * as z from "zod/mini";
import { isOptional, schemaAt, valueAt } from "./schema-paths.ts";

type Parent = Record<PropertyKey, unknown> | null | undefined;

/** Removes each null that was refused where the field could have been left out. Answers whether there was one. */
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
