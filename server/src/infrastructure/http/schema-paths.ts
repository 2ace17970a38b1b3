/** Finds the schema of a value within a body by the value's path. */
import type { Schema } from "@lightkeeper/contract";

/** The parts of a schema's definition that are used here. */
interface Definition {
  type: string;
  innerType?: Schema;
  in?: Schema;
  element?: Schema;
  shape?: Record<string, Schema>;
  checks?: { _zod: { def: { check: string; minimum?: number; maximum?: number } } }[];
}
const definitionOf = (schema: Schema) => schema._zod.def as Definition;

export const isOptional = (schema: Schema) =>
  ["optional", "default", "prefault"].includes(definitionOf(schema).type);

/** Removes optional, default and pipe wrappers. */
function unwrap(schema: Schema): Schema {
  const { innerType, in: input } = definitionOf(schema);
  const inner = innerType ?? input;
  return inner ? unwrap(inner) : schema;
}

/** The schema of an object's key or an array's item. A record's keys are data: they are never optional. */
function childOf(schema: Schema | undefined, key: PropertyKey): Schema | undefined {
  if (!schema) return undefined;
  const { shape, element } = definitionOf(unwrap(schema));
  if (typeof key === "number") return element;
  return typeof key === "string" && shape && Object.hasOwn(shape, key) ? shape[key] : undefined;
}

export const schemaAt = (schema: Schema, path: readonly PropertyKey[]): Schema | undefined =>
  path.reduce<Schema | undefined>(childOf, schema);

/** Length limits of a string that must not be empty. */
export function lengthsOf(schema: Schema | undefined): { min: number; max: number } | undefined {
  if (!schema) return undefined;
  const { type, checks = [] } = definitionOf(unwrap(schema));
  const boundOf = (check: string, key: "minimum" | "maximum") =>
    checks.map(({ _zod }) => _zod.def).find((definition) => definition.check === check)?.[key];
  const [min, max] = [boundOf("min_length", "minimum"), boundOf("max_length", "maximum")];
  return type === "string" && min && max !== undefined ? { min, max } : undefined;
}

export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}
