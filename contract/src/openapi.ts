/** Creates the OpenAPI 3.1 document from the endpoint values. */
import * as z from "zod/mini";
import { acceptsDryRun, codesOf, type Endpoint, isExtension, type Schema } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { errorCatalog, type ErrorCode } from "./errors.ts";
import { ListMetadata } from "./fields.ts";
import { AccessPreview } from "./on-demand/access-previews.ts";
import { describeAccess } from "./reference/describe-access.ts";
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

const jsonSchema = (schema: Schema, io: "input" | "output"): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

function parametersOf({ path, query }: Endpoint): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  // The output schema describes the parsed values; only the input schema shows which ones are required.
  const parsedSchema = query ? jsonSchema(query, "output") : {};
  const required = query ? ((jsonSchema(query, "input").required as string[] | undefined) ?? []) : [];
  const inQuery = Object.entries((parsedSchema.properties as Record<string, Json> | undefined) ?? {}).map(
    ([name, { "x-lightkeeper": isExtensionField, description, ...schema }]) => ({
      name,
      in: "query",
      required: required.includes(name),
      ...(typeof description === "string" && { description }),
      ...(isExtensionField === true && { "x-lightkeeper": true }),
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

/** With `dryRun=true`, a call responds with what it would open and close. */
function dataSchemaOf(endpoint: Endpoint, schema: Schema): Json {
  const result = jsonSchema(schema, "output");
  return acceptsDryRun(endpoint)
    ? { anyOf: [result, { $ref: "#/components/schemas/AccessPreview" }] }
    : result;
}

function responseOf(endpoint: Endpoint): Json {
  const { response } = endpoint;
  if (response.kind === "raw") return { [response.contentType]: { schema: { type: "string" } } };
  const item = dataSchemaOf(endpoint, response.schema);
  const data = response.kind === "list" ? { type: "array", items: item } : item;
  const metadata = response.kind === "list" ? jsonSchema(ListMetadata, "output") : { type: "object" };
  return {
    "application/json": {
      schema: { type: "object", required: ["data", "metadata"], properties: { data, metadata } },
    },
  };
}

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
    security: access.kind === "public" || access.kind === "agent" ? [] : [{ bearer: [] }],
    parameters: parametersOf(endpoint),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "input") } } },
    }),
    responses: { "200": { description: "OK", content: responseOf(endpoint) }, ...errorResponsesOf(endpoint) },
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
          code: { type: "string", enum: Object.keys(errorCatalog) },
          message: { type: "string" },
          path: { type: ["string", "null"], description: "For example firewallRules[0].portRange.from" },
          extra: {
            type: "object",
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
      schemas: { Errors, AccessPreview: jsonSchema(AccessPreview, "output") },
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}
