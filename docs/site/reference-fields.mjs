/** Tables of fields in the API reference. */
import { escapeHtml } from "./markdown.mjs";

export const code = (text) => `<code>${escapeHtml(text)}</code>`;
/** Descriptions use backticks for names and no other markup. */
export const prose = (text) => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
export const mark = (text) => `<span class="mark">${text}</span>`;

const choicesOf = ({ anyOf, oneOf }) => anyOf ?? oneOf;
const isNull = ({ type }) => type === "null";
const isPreview = ({ $ref }) => $ref === "#/components/schemas/AccessPreview";

/** The schema without the alternatives null and dry run. */
export function mainSchemaOf(schema) {
  const choices = choicesOf(schema)?.filter((choice) => !isNull(choice) && !isPreview(choice));
  return choices?.length === 1 ? choices[0] : schema;
}

export const acceptsDryRun = (schema) => choicesOf(schema)?.some(isPreview) ?? false;

const unique = (values) => [...new Set(values)];

/** The type in one or a few words, such as `list of strings` or `string or null`. */
function typeOf(schema) {
  const choices = choicesOf(schema);
  if (choices) return unique(choices.map(typeOf)).join(" or ");
  if (schema.items) return `list of ${pluralOf(typeOf(schema.items))}`;
  if (schema.enum) return unique(schema.enum.map((value) => typeof value)).join(" or ");
  if (schema.const !== undefined) return typeof schema.const;
  if (schema.type === "object" && !schema.properties && schema.additionalProperties) return "map";
  return [schema.type].flat().join(" or ") || "any";
}
const pluralOf = (type) => (/^(string|number|integer|object|map|boolean)$/.test(type) ? `${type}s` : type);

function valuesOf(schema) {
  const choices = choicesOf(schema);
  if (choices) return unique(choices.flatMap(valuesOf));
  if (schema.items) return valuesOf(schema.items);
  if (schema.enum) return schema.enum;
  return schema.const === undefined ? [] : [schema.const];
}

function describeValues(values, isList) {
  if (values.length === 1) return `Always ${values[0]}.`;
  return `${isList ? "Any" : "One"} of ${values.join(", ")}.`;
}

/** What the type doesn't say: permitted values, length, range and default. */
function limitsOf(schema) {
  const main = mainSchemaOf(schema);
  const { format, minLength, maxLength, minimum, maximum, maxItems, default: fallback } = main;
  const values = valuesOf(schema).map((value) => code(String(value)));
  const given = schema.default ?? fallback;
  return [
    values.length > 0 && describeValues(values, main.items !== undefined),
    format === "date-time" && "RFC 3339, in UTC.",
    maxLength !== undefined && `${minLength ? `${minLength} to` : "Up to"} ${maxLength} characters.`,
    minimum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `From ${minimum} to ${maximum}.`,
    maxItems !== undefined && `Up to ${maxItems}.`,
    ![undefined, null, ""].includes(given) && `Default: ${code(JSON.stringify(given))}.`,
  ].filter(Boolean);
}

/** Rows of the properties of an object. Nested properties have their path as name. */
export function rowsOf(schema, prefix = "") {
  const main = mainSchemaOf(schema);
  if (main.items) return rowsOf(main.items, `${prefix}[]`);
  // The keys of a map are up to the caller.
  if (main.additionalProperties?.properties) return rowsOf(main.additionalProperties, `${prefix}.*`);
  const choices = choicesOf(main);
  if (choices) return mergeRows(choices.flatMap((choice) => rowsOf(choice, prefix)));
  return Object.entries(main.properties ?? {})
    .filter(([, property]) => property.readOnly !== true)
    .flatMap(([key, property]) => {
      const name = prefix ? `${prefix}.${key}` : key;
      const isRequired = main.required?.includes(key) ?? false;
      return [{ name, schema: property, isRequired }, ...rowsOf(property, name)];
    });
}

/** Alternatives often share fields: each is shown once, with the values of all. */
function mergeRows(rows) {
  const byName = new Map();
  for (const row of rows) {
    const earlier = byName.get(row.name);
    if (!earlier) byName.set(row.name, row);
    else if (JSON.stringify(earlier.schema) !== JSON.stringify(row.schema)) {
      const { description } = earlier.schema;
      const schema = { ...(description && { description }), anyOf: [earlier.schema, row.schema] };
      byName.set(row.name, { ...earlier, schema });
    }
  }
  return [...byName.values()];
}

/** Long names may wrap after a dot and before a capital letter. */
const breakableCode = (name) => code(name).replace(/(?<=[\].a-z])(?=[A-Z])|(?<=\.)(?=[a-z])/g, "<wbr>");

function renderRow({ name, schema, isRequired, description = schema.description, isExtension }, required) {
  const marks = [
    isRequired === required && (required ? "Required" : "Optional"),
    (isExtension ?? schema["x-lightkeeper"]) && "Extension",
  ];
  const text = [description && prose(description), ...limitsOf(schema)].filter(Boolean).join(" ");
  return `<tr><td>${breakableCode(name)}<span class="type">${typeOf(schema)}${marks.filter(Boolean).map(mark).join("")}</span></td><td>${text}</td></tr>`;
}

/** A request marks what is required, a response what can be missing. */
export function renderTable(label, rows, { marksRequired }) {
  const head = ["Field", "Description"].map((title) => `<th scope="col">${title}</th>`).join("");
  const body = rows.map((row) => renderRow(row, marksRequired)).join("");
  return `<div class="table fields" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
