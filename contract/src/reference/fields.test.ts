import { describe, expect, it } from "vitest";
import { endpoints } from "../endpoints.ts";
import { openApiDocument } from "../openapi.ts";
import { findField, type Place, visitFields } from "./describe-fields.ts";
import { fields, fieldsByNoun, tables } from "./fields/fields.ts";
import type { JsonSchema } from "./json-schema.ts";

interface Content {
  content: Record<string, { schema: JsonSchema }>;
}
interface Parameter {
  name: string;
  description?: string;
}

const document = openApiDocument();
const schemasIn = ({ content }: Content) => Object.values(content).map(({ schema }) => schema);

/** Every field of every call, with the call as it is written in the reference. */
const used = [...endpoints].flatMap(([, { noun, method, path }]) => {
  const call = `${method} ${path}`;
  const { parameters, requestBody, responses } = document.paths[path]![method.toLowerCase()]!;
  const found: { call: string; place: Place; description: string | undefined }[] = (
    parameters as Parameter[]
  ).map(({ name, description }) => ({ call, place: { noun, parent: "", name }, description }));
  const contents = [requestBody, (responses as Record<string, unknown>)["200"]].filter(Boolean) as Content[];
  for (const schema of contents.flatMap(schemasIn))
    visitFields(schema, { noun, parent: "" }, (place, { description }) =>
      found.push({ call, place, description }),
    );
  return found;
});

describe("the descriptions of fields", () => {
  it("exist for every field of every call", () => {
    const missing = used
      .filter(({ description }) => !description)
      .map(
        ({ call, place: { noun, parent, name } }) =>
          `${name} of ${call}: add \`${name}: ["Description.", example]\` to a table in contract/src/reference/fields/, with the key "${parent}.${name}" if the name means something else elsewhere, or to "${noun}" in by-noun.ts`,
      );
    expect([...new Set(missing)]).toEqual([]);
  });

  it("are sentences", () => {
    const wrong = used.filter(({ description = "." }) => !/^[A-Z`].*\.$/s.test(description));
    expect([
      ...new Set(wrong.map(({ call, place, description }) => `${call} ${place.name}: ${description}`)),
    ]).toEqual([]);
  });

  it("are all used", () => {
    const keys = new Set(used.map(({ place }) => findField(place)?.key));
    const ofNouns = Object.entries(fieldsByNoun).flatMap(([noun, table]) =>
      Object.keys(table).map((key) => `${noun}/${key}`),
    );
    const unused = [...Object.keys(fields), ...ofNouns].filter((key) => !keys.has(key));
    const advice = unused.map(
      (key) =>
        `no call has ${key}: remove it from contract/src/reference/fields/${key.includes("/") ? "by-noun*.ts" : ""}`,
    );
    expect(advice).toEqual([]);
  });

  it("exist once", () => {
    const keys = tables.flatMap((table) => Object.keys(table));
    expect(keys.filter((key, position) => keys.indexOf(key) !== position)).toEqual([]);
  });
});
