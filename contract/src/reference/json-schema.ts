/** The part of JSON Schema that the contract's schemas are converted to. */
import * as z from "zod/mini";
import type { Schema } from "../endpoint.ts";

export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string;
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

export function toJsonSchema(schema: Schema, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}

export const choicesOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] => anyOf ?? oneOf ?? [];

/** Schemas inside this one that aren't properties: alternatives, items of lists and values of maps. */
export function innerSchemas(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties } = schema;
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...choicesOf(schema), ...(items ? [items] : []), ...values];
}
