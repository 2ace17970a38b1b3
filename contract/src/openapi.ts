/** OpenAPI 3.1, made from the endpoint values. */
import * as z from "zod/mini";
import {
  type Access,
  codesOf,
  type Endpoint,
  isExtension,
  requiresRecentFactor,
  type Schema,
} from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { errorCatalogue, type ErrorCode } from "./errors.ts";
import { ListMetadata } from "./fields.ts";

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
  paths: Record<string, Record<string, Operation>>;
}

const jsonSchema = (schema: Schema, io: "input" | "output"): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

const accessInWords: Record<Access["kind"], string> = {
  public: "Public.",
  agent: "A host's agent, which proves itself by what it sends.",
  presentedTokens: "Any valid token.",
  anyone: "Any valid credential; a user token alone is enough.",
  userToken: "A user token; the second factor is not needed.",
  session: "A signed-in person.",
  user: "A signed-in person of type user.",
  scope: "A signed-in person, or an API key with the scope",
};

const listScopes = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(" and ");

const furtherScopes = ({ scopesWhen = {} }: Extract<Access, { kind: "scope" }>) =>
  Object.entries(scopesWhen)
    .map(([parameter, scopes]) => ` With \`${parameter}=true\`, an API key also needs ${listScopes(scopes)}.`)
    .join("");

function describeAccess(access: Access): string {
  if (access.kind === "scope")
    return `${accessInWords.scope} ${listScopes(access.scopes)}.${furtherScopes(access)}`;
  const words = accessInWords[access.kind];
  if (!requiresRecentFactor({ access })) return words;
  const condition = access.kind === "userToken" ? ", once the user has an authenticator" : "";
  return `${words} The second factor must have been given within the last hour${condition}.`;
}

function parametersOf({ path, query }: Endpoint): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  // What a value means is its parsed form; whether it must be there is decided before.
  const described = query ? jsonSchema(query, "output") : {};
  const required = query ? ((jsonSchema(query, "input").required as string[] | undefined) ?? []) : [];
  const inQuery = Object.entries((described.properties as Record<string, Json> | undefined) ?? {}).map(
    ([name, { "x-lightkeeper": isOurs, description, ...schema }]) => ({
      name,
      in: "query",
      required: required.includes(name),
      ...(typeof description === "string" && { description }),
      ...(isOurs === true && { "x-lightkeeper": true }),
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

function answerOf({ answer }: Endpoint): Json {
  if (answer.kind === "raw") return { [answer.contentType]: { schema: { type: "string" } } };
  const item = jsonSchema(answer.schema, "output");
  const data = answer.kind === "list" ? { type: "array", items: item } : item;
  const metadata = answer.kind === "list" ? jsonSchema(ListMetadata, "output") : { type: "object" };
  return {
    "application/json": {
      schema: { type: "object", required: ["data", "metadata"], properties: { data, metadata } },
    },
  };
}

function failuresOf(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint)) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${errorCatalogue[code].message}`).join("\n\n"),
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
    description: describeAccess(access),
    tags: [noun],
    ...(deprecated && { deprecated: true as const }),
    ...(isExtension(endpoint) && { "x-lightkeeper": true }),
    security: access.kind === "public" || access.kind === "agent" ? [] : [{ bearer: [] }],
    parameters: parametersOf(endpoint),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "input") } } },
    }),
    responses: { "200": { description: "OK", content: answerOf(endpoint) }, ...failuresOf(endpoint) },
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
          code: { type: "string", enum: Object.keys(errorCatalogue) },
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
  return {
    openapi: "3.1.0",
    info: {
      title: "Lightkeeper API",
      version: "1.0.0",
      description:
        "Successful requests return 200 with `data` and `metadata`; failures return a list of `errors`. Every response has an X-Request-ID. Whatever the public API doesn’t have is marked with `x-lightkeeper: true`.",
    },
    paths,
    components: {
      schemas: { Errors },
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}
