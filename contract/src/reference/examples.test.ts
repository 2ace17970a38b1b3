import { describe, expect, it } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { ListMetadata } from "../fields.ts";
import { openApiDocument } from "../openapi.ts";
import { exampleQueries, optionalBodyFields, rawResponses, responseValues } from "./example-choices.ts";
import { exampleBody, exampleParams, exampleQuery, exampleResponse } from "./examples.ts";

interface Content {
  content: Record<string, { example?: unknown }>;
}

const issuesOf = (schema: Endpoint["body"], value: unknown) => schema?.safeParse(value).error?.issues ?? [];

const { paths } = openApiDocument();

describe("the example of", () => {
  it.each([...endpoints])("%s is a request that the call accepts", (name, endpoint) => {
    expect(issuesOf(endpoint.query, exampleQuery(name, endpoint))).toEqual([]);
    expect(issuesOf(endpoint.body, exampleBody(name, endpoint))).toEqual([]);
    expect(Object.values(exampleParams(endpoint)).filter((value) => !/^[\w.-]+(:\w+)?$/.test(value))).toEqual(
      [],
    );
  });

  const inJson = [...endpoints].filter(([, { response }]) => response.kind !== "raw");

  it.each(inJson)("%s is a response that the call can return", (name, endpoint) => {
    const { response } = endpoint;
    const example = exampleResponse(name, endpoint) as { data: unknown; metadata: unknown };
    if (response.kind === "data") {
      expect(issuesOf(response.schema, example.data)).toEqual([]);
      expect(example.metadata).toEqual({});
    } else if (response.kind === "list") {
      expect((example.data as unknown[]).flatMap((item) => issuesOf(response.schema, item))).toEqual([]);
      expect(issuesOf(ListMetadata, example.metadata)).toEqual([]);
    }
  });

  it.each([...endpoints])("%s is in the OpenAPI document", (name, endpoint) => {
    const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    const { requestBody, responses } = operation as unknown as {
      requestBody?: Content;
      responses: Record<string, Content>;
    };
    const examplesIn = ({ content }: Content) => Object.values(content).map(({ example }) => example);
    expect(requestBody ? examplesIn(requestBody) : [undefined]).toEqual([exampleBody(name, endpoint)]);
    expect(examplesIn(responses["200"]!)).toEqual([exampleResponse(name, endpoint)]);
  });
});

describe("the choices for examples", () => {
  it("are about calls and fields that exist", () => {
    const keysOf = (schema: Endpoint["body"]) =>
      schema && "shape" in schema ? Object.keys(schema.shape as object) : undefined;
    for (const [name, query] of Object.entries(exampleQueries))
      expect([name, keysOf(endpoints.get(name)?.query)]).toEqual([
        name,
        expect.arrayContaining(Object.keys(query)),
      ]);
    for (const [name, fields] of Object.entries(optionalBodyFields)) {
      const body = exampleBody(name, endpoints.get(name)!);
      expect([name, Object.keys(body as object)]).toEqual([name, expect.arrayContaining([...fields])]);
    }
    expect(Object.keys(responseValues).filter((name) => !endpoints.has(name))).toEqual([]);
    expect(Object.keys(rawResponses).filter((name) => endpoints.get(name)?.response.kind !== "raw")).toEqual(
      [],
    );
  });
});
