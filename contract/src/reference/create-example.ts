/** Creates example values from schemas and from the examples of fields. */
import { findField, type Place } from "./describe-fields.ts";
import { exampleID, OMITTED, times } from "./field.ts";
import { choicesOf, type JsonSchema } from "./json-schema.ts";

const typeNameOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

/** A nullable value has two types. */
const typesOf = ({ type = [] }: JsonSchema): string[] => [type].flat();

function hasType(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  if (types.includes("integer") && typeof value === "number") return Number.isInteger(value);
  return types.length === 0 || types.includes(typeNameOf(value));
}

/** Whether the value of a field's table entry fits here: a name can belong to fields of different types. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.some((choice) => accepts(choice, value));
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (!hasType(schema, value)) return false;
  if (typeof value === "string") return new RegExp(schema.pattern ?? "", "u").test(value);
  if (Array.isArray(value)) return value.every((item) => accepts(schema.items ?? {}, item));
  if (typeof value !== "object" || value === null || !schema.properties) return true;
  const { properties, required = [] } = schema;
  return (
    required.every((key) => key in value) &&
    Object.entries(value).every(([key, item]) => key in properties && accepts(properties[key] ?? {}, item))
  );
}

const ID_PATTERN = /^\^\(?(\w+)-\[A-Z2-7\]/;

/** For fields whose table entry has no example, or one for another type. */
function impliedValue(schema: JsonSchema, name: string): unknown {
  const { pattern = "", format, default: fallback, minimum } = schema;
  const [type] = typesOf(schema);
  const prefix = ID_PATTERN.exec(pattern)?.[1];
  if (prefix !== undefined) return exampleID(prefix);
  if (fallback !== undefined) return fallback;
  if (format === "date-time") return times.recent;
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return minimum ?? 1;
  return type === "object" ? {} : name;
}

/** Which optional properties an example has, besides the required ones. */
type Inclusion = (place: Place) => boolean;

const exampleIn = (place: Place) => findField(place)?.field[1];

/** A response has all optional fields, except those that are usually missing. */
export const includeUsual: Inclusion = (place) => exampleIn(place) !== OMITTED;

/** A request has the listed optional fields, and inside of them those with an example. */
export const includeListed =
  (names: readonly string[]): Inclusion =>
  (place) => {
    const example = exampleIn(place);
    return place.parent === "" ? names.includes(place.name) : example !== undefined && example !== OMITTED;
  };

/** The first alternative, or the one with the example of the field that tells alternatives apart. */
function selectChoice(schema: JsonSchema, { noun, name: parent }: Place): JsonSchema | undefined {
  const choices = choicesOf(schema).filter(({ type }) => type !== "null");
  const fits = ({ properties = {} }: JsonSchema) =>
    Object.entries(properties).every(([name, property]) => {
      const example = exampleIn({ noun, parent, name });
      const isFixed = property.const !== undefined || property.enum !== undefined;
      return !isFixed || example === undefined || accepts(property, example);
    });
  return choices.find(fits) ?? choices[0];
}

export function createExample(schema: JsonSchema, place: Place, isIncluded: Inclusion): unknown {
  const example = exampleIn(place);
  if (example !== undefined && accepts(schema, example)) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = selectChoice(schema, place);
  if (choice) return createExample(choice, place, isIncluded);
  if (schema.items) return [createExample(schema.items, place, isIncluded)];
  if (!schema.properties) return impliedValue(schema, place.name);
  const { properties, required = [] } = schema;
  const included = Object.entries(properties)
    .map(([name, property]) => ({ property, inner: { noun: place.noun, parent: place.name, name } }))
    .filter(
      ({ property, inner }) => !property.readOnly && (required.includes(inner.name) || isIncluded(inner)),
    );
  return Object.fromEntries(
    included.map(({ property, inner }) => [inner.name, createExample(property, inner, isIncluded)]),
  );
}
