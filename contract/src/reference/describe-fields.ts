/** Adds descriptions to the schemas of the OpenAPI document. */
import type { Noun } from "../nouns.ts";
import type { Field } from "./field.ts";
import { fields, fieldsByNoun } from "./fields/fields.ts";
import { innerSchemas, type JsonSchema } from "./json-schema.ts";

/** Where a field is: its name, and the name of the field that contains it. */
export interface Place {
  noun: Noun;
  parent: string;
  name: string;
}

/** The entry for a field and its key in the table. The closest one wins: with the parent's name, then of the noun. */
export function findField({ noun, parent, name }: Place): { key: string; field: Field } | undefined {
  const ofNoun = fieldsByNoun[noun] ?? {};
  for (const key of [`${parent}.${name}`, name])
    for (const [table, shownKey] of [[ofNoun, `${noun}/${key}`] as const, [fields, key] as const]) {
      const field = table[key];
      if (field) return { key: shownKey, field };
    }
  return undefined;
}

/** Visits every field of a schema, except read-only fields in requests, which are ignored. */
export function visitFields(
  schema: JsonSchema,
  { noun, parent }: Omit<Place, "name">,
  visit: (place: Place, schema: JsonSchema) => void,
): void {
  for (const inner of innerSchemas(schema)) visitFields(inner, { noun, parent }, visit);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.readOnly) continue;
    visit({ noun, parent, name }, property);
    visitFields(property, { noun, parent: name }, visit);
  }
}

/** Descriptions in the contract itself are kept. */
export function describeFields(schema: JsonSchema, noun: Noun, parent = ""): JsonSchema {
  visitFields(schema, { noun, parent }, (place, property) => {
    const description = property.description ?? findField(place)?.field[0];
    if (description !== undefined) property.description = description;
  });
  return schema;
}
