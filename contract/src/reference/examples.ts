/** An example request and response for every call. A test parses them with the schemas of the call. */
import type { Endpoint } from "../endpoint.ts";
import { ListMetadata } from "../fields.ts";
import type { Noun } from "../nouns.ts";
import { createExample, includeListed, includeUsual } from "./create-example.ts";
import { findField } from "./describe-fields.ts";
import { exampleQueries, optionalBodyFields, rawResponses, responseValues } from "./example-choices.ts";
import { toJsonSchema } from "./json-schema.ts";

const atTop = ({ noun }: Endpoint) => ({ noun, parent: "", name: "" });

function exampleParameter(noun: Noun, name: string): string {
  const example = findField({ noun, parent: "", name })?.field[1];
  return typeof example === "string" ? example : name;
}

/** The values of the path's parameters. */
export function exampleParams({ path, noun }: Endpoint): Record<string, string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, exampleParameter(noun, name)]));
}

/** The required parameters of the query and those that show what the call is for. */
export function exampleQuery(name: string, { query, noun }: Endpoint): Record<string, string> {
  const required = (query && toJsonSchema(query, "input").required) ?? [];
  const values = required.map((key) => [key, exampleParameter(noun, key)]);
  return { ...Object.fromEntries(values), ...exampleQueries[name] };
}

export function exampleBody(name: string, endpoint: Endpoint): unknown {
  if (!endpoint.body) return undefined;
  const isIncluded = includeListed(optionalBodyFields[name] ?? []);
  return createExample(toJsonSchema(endpoint.body, "input"), atTop(endpoint), isIncluded);
}

/** Replaces values, also inside of objects. */
function replaceValues(value: unknown, replacement: unknown): unknown {
  if (!isObject(value) || !isObject(replacement)) return replacement;
  const replaced = Object.entries(replacement).map(([key, inner]) => [key, replaceValues(value[key], inner)]);
  return { ...value, ...Object.fromEntries(replaced) };
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function exampleResponse(name: string, endpoint: Endpoint): unknown {
  const { response, noun } = endpoint;
  if (response.kind === "raw") return rawResponses[name];
  const place = { noun, parent: "", name: "data" };
  const created = createExample(toJsonSchema(response.schema, "output"), place, includeUsual);
  const value = name in responseValues ? replaceValues(created, responseValues[name]) : created;
  if (response.kind === "data") return { data: value, metadata: {} };
  const metadata = toJsonSchema(ListMetadata, "output");
  return { data: [value], metadata: createExample(metadata, { ...place, name: "metadata" }, includeUsual) };
}
