/** The part of JSON Schema that the contract's schemas are converted to. */
import * as z from "zod/mini";
import type { Schema } from "../endpoint.ts";

export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  format?: string;
  readOnly?: boolean;
}

const converted = { input: new WeakMap<Schema, JsonSchema>(), output: new WeakMap<Schema, JsonSchema>() };

/** Converting takes long, so each schema is converted once. The caller gets a copy. */
export function toJsonSchema(schema: Schema, io: "input" | "output"): JsonSchema {
  const known = converted[io].get(schema);
  if (known) return structuredClone(known);
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const result = JSON.parse(JSON.stringify(rest)) as JsonSchema;
  converted[io].set(schema, result);
  return structuredClone(result);
}

export const choicesOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] => anyOf ?? oneOf ?? [];

/** Schemas inside this one that aren't properties: alternatives, items of lists and values of maps. */
export function innerSchemas(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties } = schema;
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...choicesOf(schema), ...(items ? [items] : []), ...values];
}
