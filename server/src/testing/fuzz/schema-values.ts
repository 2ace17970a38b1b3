/** Generates values that match a JSON Schema, or nearly; supports the keywords that the contract uses. */
import fc from "fast-check";
import type { Schema } from "@lightkeeper/contract";
import * as z from "zod/mini";
import type { Json } from "./json-text.ts";
import { anEdgeCaseString, edgeCaseString } from "./edge-case-values.ts";
import { plausibleString } from "./plausible-strings.ts";
import { anOverride } from "./plausible-values.ts";
import { weighted } from "./weighted.ts";

export interface JsonSchema {
  type?: string | string[];
  const?: Json;
  enum?: Json[];
  examples?: Json[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

export const jsonSchemaOf = (schema: Schema): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

const ITEMS_MAX = 3;

function stringsOf({ minLength = 0, maxLength, pattern }: JsonSchema, name: string): fc.Arbitrary<string> {
  const plausible = plausibleString(name);
  const choices: [number, fc.Arbitrary<string>][] = [
    [6, plausible],
    [1, anEdgeCaseString.map(edgeCaseString)],
  ];
  if (pattern) choices.push([6, fc.stringMatching(new RegExp(pattern))]);
  if (maxLength !== undefined) {
    const lengths = fc.constantFrom(minLength, Math.max(0, minLength - 1), maxLength, maxLength + 1);
    choices.push([1, lengths.map((length) => "y".repeat(length))]);
  }
  return weighted(...choices);
}

function numbersOf({ minimum = -1000, maximum = 100_000 }: JsonSchema): fc.Arbitrary<number> {
  return weighted(
    [4, fc.integer({ min: minimum, max: maximum })],
    [1, fc.constantFrom(minimum - 1, maximum + 1, minimum, maximum, minimum + 0.5)],
  );
}

function objectsOf(schema: JsonSchema, name: string): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === "object")
    return fc.dictionary(plausibleString(name), valuesOf(additionalProperties, name), { maxKeys: ITEMS_MAX });
  if (properties.key && properties.value) return anOverride.map(([key, value]) => ({ key, value }));
  const entries = Object.entries(properties).map(([key, property]) => {
    const present = valuesOf(property, key).map((value): [string, Json][] => [[key, value]]);
    const absent = fc.constant<[string, Json][]>([]);
    if (required.includes(key)) return present;
    return weighted([1, present], [2, absent]);
  });
  return fc.tuple(...entries).map((parts) => Object.fromEntries(parts.flat()));
}

function valuesOfType(schema: JsonSchema, type: string | undefined, name: string): fc.Arbitrary<Json> {
  switch (type) {
    case "object":
      return objectsOf(schema, name);
    case "array": {
      const minLength = schema.minItems ?? 0;
      return fc.array(valuesOf(schema.items ?? {}, name), { minLength, maxLength: minLength + ITEMS_MAX });
    }
    case "string":
      return stringsOf(schema, name);
    case "integer":
    case "number":
      return numbersOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
  }
}

export function valuesOf(schema: JsonSchema, name = ""): fc.Arbitrary<Json> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(one, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type].flat().map((type) => valuesOfType(schema, type, name));
  if (schema.examples) types.push(fc.constantFrom(...schema.examples));
  return fc.oneof(...types);
}
