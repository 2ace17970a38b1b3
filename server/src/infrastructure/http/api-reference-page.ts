import type { OpenApiDocument, Operation } from "@lightkeeper/contract/openapi";
import { escapeHtml, htmlPage } from "../html/html.ts";

interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
}
interface Parameter {
  name: string;
  description?: string;
  in: string;
  required: boolean;
  schema: JsonSchema;
}
interface Content {
  content?: Record<string, { schema: JsonSchema }>;
  description?: string;
}

const code = (text: string) => `<code>${escapeHtml(text)}</code>`;
/** Descriptions use backticks for names and no other markup. */
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
const schemaOf = ({ content = {} }: Content) => Object.values(content)[0]?.schema;

function kindOf(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(kindOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `list of ${kindOf(schema.items)}`;
  return [schema.type].flat().join(" or ") || "anything";
}

const ID_PATTERN = /^\^(\w+)-\[A-Z2-7\]/;

function notesOf(schema: JsonSchema): string {
  const { pattern, format, minLength, maxLength, minimum, maximum, examples, default: fallback } = schema;
  const id = ID_PATTERN.exec(pattern ?? "")?.[1];
  const notes = [
    id && code(`${id}-…`),
    format && escapeHtml(format),
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    fallback !== undefined && `default ${code(JSON.stringify(fallback))}`,
    examples && `for example ${code(String(examples[0]))}`,
  ];
  return notes.filter(Boolean).join(", ");
}

type Row = { name: string; schema: JsonSchema; remark: string; description?: string | undefined };

const isNested = (schema: JsonSchema) => schema.properties !== undefined || schema.items !== undefined;

/** One row per property; nested properties have their path as name. */
function rowsOf(schema: JsonSchema, prefix = ""): Row[] {
  if (schema.items) return rowsOf(schema.items, `${prefix}[]`);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives?.some(isNested)) return alternatives.flatMap((choice) => rowsOf(choice, prefix));
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    const row = { name, schema: inner, remark: schema.required?.includes(key) ? "" : "optional" };
    return isNested(inner) ? [row, ...rowsOf(inner, name)] : [row];
  });
}

function table(title: string, rows: Row[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(({ name, schema, remark, description = schema.description }) => {
    const facts = [remark, notesOf(schema)].filter(Boolean).join(", ");
    const notes = [facts, description && prose(description)].filter(Boolean).join("<br>");
    return `<tr><td>${code(name)}</td><td>${escapeHtml(kindOf(schema))}</td><td>${notes}</td></tr>`;
  });
  return `<h4>${title}</h4><table><tbody>${lines.join("")}</tbody></table>`;
}

const parameters = (list: Parameter[]) =>
  table(
    "Parameters",
    list.map(({ name, description, schema, required, in: where }) => ({
      name,
      description,
      schema,
      remark: `${where}${required ? "" : ", optional"}`,
    })),
  );

function failures(responses: Record<string, Content>): string {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== "200")
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, { description = "" }]) => {
      const codes = description.split("\n\n").map((line) => escapeHtml(line));
      return `<tr><td>${status}</td><td>${codes.join("<br>")}</td></tr>`;
    });
  return `<details><summary>Errors</summary><table><tbody>${rows.join("")}</tbody></table></details>`;
}

function response(responses: Record<string, Content>): string {
  const schema = responses["200"] && schemaOf(responses["200"]);
  const rows = schema ? rowsOf(schema).filter(({ name }) => !/^(data|metadata)$/.test(name)) : [];
  return rows.length > 0 ? table("Response", rows) : "";
}

interface EndpointOperation {
  path: string;
  method: string;
  operation: Operation;
}

function section({ path, method, operation }: EndpointOperation): string {
  const responses = operation.responses as Record<string, Content>;
  const body = operation.requestBody && schemaOf(operation.requestBody);
  return `<section id="${operation.operationId}">
    <h3><span class="method">${method.toUpperCase()}</span> ${code(path)}</h3>
    <p>${prose(operation.summary)}.${operation.deprecated ? " <em>Deprecated.</em>" : ""}</p>
    <p class="muted">${prose(operation.description)}</p>
    ${parameters(operation.parameters as Parameter[])}
    ${body ? table("Body", rowsOf(body)) : ""}
    ${response(responses)}
    ${failures(responses)}
  </section>`;
}

export function renderReference(document: OpenApiDocument): string {
  const byNoun = new Map<string, EndpointOperation[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const noun = operation.tags[0] ?? "";
      byNoun.set(noun, [...(byNoun.get(noun) ?? []), { path, method, operation }]);
    }
  }
  const nouns = [...byNoun].sort(([a], [b]) => a.localeCompare(b, "en"));
  const links = nouns.map(([noun, calls]) => {
    const items = calls.map(
      ({ path, method, operation }) =>
        `<li><a href="#${operation.operationId}">${method.toUpperCase()} ${escapeHtml(path)}</a></li>`,
    );
    return `<li><strong>${escapeHtml(noun)}</strong><ul>${items.join("")}</ul></li>`;
  });
  const sections = nouns.map(([noun, calls]) => `<h2>${escapeHtml(noun)}</h2>${calls.map(section).join("")}`);
  return htmlPage({
    title: "API reference",
    body: `<h1>API reference</h1>
      <p>${prose(document.info.description)} Also available as <a href="/openapi.json">OpenAPI 3.1</a>.
      For guides, see the <a href="/docs/">documentation</a>.</p>
      <nav aria-label="Endpoints"><ul>${links.join("")}</ul></nav>${sections.join("")}`,
  });
}
