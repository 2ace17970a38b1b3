/** Creates the OpenAPI 3.1 document from the endpoint values. */
import { type Access, acceptsDryRun, codesOf, type Endpoint, isExtension, type Schema } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { errorCatalog, type ErrorCode } from "./errors.ts";
import { ListMetadata } from "./fields.ts";
import type { Noun } from "./nouns.ts";
import { AccessPreview } from "./on-demand/access-previews.ts";
import { describeAccess } from "./reference/describe-access.ts";
import { describeFields, findField } from "./reference/describe-fields.ts";
import { exampleBody, exampleParams, exampleQuery, exampleResponse } from "./reference/examples.ts";
import { type JsonSchema, toJsonSchema } from "./reference/json-schema.ts";
import { nounPages } from "./reference/noun-pages.ts";

type Json = { [key: string]: unknown };

export interface Operation extends Json {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: true;
}
export interface OpenApiDocument extends Json {
  info: { title: string; version: string; description: string };
  /** The nouns that have calls, in the order of the reference. */
  tags: { name: string; description: string; "x-displayName": string }[];
  paths: Record<string, Record<string, Operation>>;
}

const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key." },
  session: { type: "http", scheme: "bearer", description: "A person's user token and auth token." },
  userToken: { type: "http", scheme: "bearer", description: "A person's user token." },
};

const credentials: Record<Access["kind"], readonly (keyof typeof securitySchemes)[]> = {
  public: [],
  agent: [],
  presentedTokens: ["userToken"],
  anyone: ["apiKey", "session", "userToken"],
  userToken: ["userToken"],
  session: ["session"],
  user: ["session"],
  scope: ["apiKey", "session"],
};

const describeParameter = (noun: Noun, name: string) => findField({ noun, parent: "", name })?.field[0];

function parametersOf(endpointName: string, endpoint: Endpoint): Json[] {
  const { path, query, noun } = endpoint;
  const params = exampleParams(endpoint);
  const queryExamples = exampleQuery(endpointName, endpoint);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: describeParameter(noun, name),
    example: params[name],
    schema: { type: "string" },
  }));
  // The output schema describes the parsed values; only the input schema shows which ones are required.
  const parsed = query ? toJsonSchema(query, "output").properties : {};
  const required = (query && toJsonSchema(query, "input").required) ?? [];
  const inQuery = Object.entries(parsed ?? {}).map(
    ([name, { "x-lightkeeper": isExtensionField, description, ...schema }]) => ({
      name,
      in: "query",
      required: required.includes(name),
      description: description ?? describeParameter(noun, name),
      ...(name in queryExamples && { example: queryExamples[name] }),
      ...(isExtensionField === true && { "x-lightkeeper": true }),
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

/** With `dryRun=true`, a call responds with what it would open and close. */
function dataSchemaOf(endpoint: Endpoint, schema: Schema): JsonSchema {
  const result = toJsonSchema(schema, "output");
  return acceptsDryRun(endpoint)
    ? { anyOf: [result, { $ref: "#/components/schemas/AccessPreview" }] }
    : result;
}

function responseOf(name: string, endpoint: Endpoint): Json {
  const { response, noun } = endpoint;
  const example = exampleResponse(name, endpoint);
  if (response.kind === "raw") return { [response.contentType]: { schema: { type: "string" }, example } };
  const item = dataSchemaOf(endpoint, response.schema);
  const data = response.kind === "list" ? { type: "array", items: item } : item;
  const metadata = response.kind === "list" ? toJsonSchema(ListMetadata, "output") : { type: "object" };
  const schema = { type: "object", required: ["data", "metadata"], properties: { data, metadata } };
  return { "application/json": { schema: describeFields(schema, noun), example } };
}

const requestBodyOf = (name: string, body: Schema, endpoint: Endpoint) => ({
  required: true,
  content: {
    "application/json": {
      schema: describeFields(toJsonSchema(body, "input"), endpoint.noun),
      example: exampleBody(name, endpoint),
    },
  },
});

function errorResponsesOf(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint)) {
    const { status } = errorCatalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${errorCatalog[code].message}`).join("\n\n"),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Errors" } } },
      },
    ]),
  );
}

function operation(name: string, endpoint: Endpoint): Operation {
  const { summary, noun, access, body, deprecated } = endpoint;
  return {
    operationId: name,
    summary,
    description: describeAccess(endpoint),
    tags: [noun],
    ...(deprecated && { deprecated: true as const }),
    ...(isExtension(endpoint) && { "x-lightkeeper": true }),
    security: credentials[access.kind].map((scheme) => ({ [scheme]: [] })),
    parameters: parametersOf(name, endpoint),
    ...(body && { requestBody: requestBodyOf(name, body, endpoint) }),
    responses: {
      "200": { description: "OK", content: responseOf(name, endpoint) },
      ...errorResponsesOf(endpoint),
    },
  };
}

const Errors: Json = {
  type: "object",
  required: ["errors"],
  properties: {
    errors: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: {
            type: "string",
            enum: Object.keys(errorCatalog),
            description: "What went wrong, for programs. Codes don't change.",
          },
          message: { type: "string", description: "What went wrong, for people." },
          path: {
            type: ["string", "null"],
            description: "The field that the error is about, such as `firewallRules[0].portRange.from`.",
          },
          extra: {
            type: "object",
            description: "Details that depend on the code.",
            properties: {
              limit: { type: "number" },
              missingClaims: { type: "array", items: { type: "string" } },
            },
          },
        },
      },
    },
  },
};

export function openApiDocument(): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  for (const [name, endpoint] of endpoints) {
    const methods = (paths[endpoint.path] ??= {});
    methods[endpoint.method.toLowerCase()] = operation(name, endpoint);
  }
  const nouns = new Set([...endpoints.values()].map(({ noun }) => noun));
  return {
    openapi: "3.1.0",
    info: {
      title: "Lightkeeper API",
      version: "1.0.0",
      description:
        "Successful requests return 200 with `data` and `metadata`; failures return a list of `errors`. Every response has an X-Request-ID. Extensions of the public API are marked with `x-lightkeeper: true`.",
    },
    tags: [...nouns].map((name) => ({
      name,
      description: nounPages[name].description,
      "x-displayName": nounPages[name].title,
    })),
    paths,
    components: {
      schemas: { Errors, AccessPreview: describeFields(toJsonSchema(AccessPreview, "output"), "access") },
      securitySchemes,
    },
  };
}
