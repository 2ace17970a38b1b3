/** Renders the OpenAPI document as pages of the documentation: one per noun, and the overview's list of calls. */
import { anchor, escapeHtml } from "./markdown.mjs";
import { acceptsDryRun, code, mark, prose, renderTable, rowsOf } from "./reference-fields.mjs";

const nameOf = (noun) => `api/${noun}`;
const addressOf = (noun) => `/docs/${nameOf(noun)}`;

function callsOf({ paths }) {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      noun: operation.tags[0],
      /** What follows a semicolon or a colon is a detail. */
      title: operation.summary.split(/[;:] /)[0] + (operation.deprecated ? " (deprecated)" : ""),
    })),
  );
  return [...calls.filter(({ deprecated }) => !deprecated), ...calls.filter(({ deprecated }) => deprecated)];
}

const contentOf = ({ content = {} }) => Object.entries(content)[0] ?? [];

const parameterRows = ({ parameters }) =>
  parameters.map(({ name, schema, required, description, "x-lightkeeper": isExtension }) => ({
    name,
    schema,
    isRequired: required,
    description,
    isExtension,
  }));

const bodyRows = ({ requestBody }) => (requestBody ? rowsOf(contentOf(requestBody)[1].schema) : []);

/** The schema of `data`; `metadata` of lists is described in the overview. */
function dataSchemaOf({ responses }) {
  const [, { schema = {} } = {}] = contentOf(responses["200"]);
  return schema.properties?.data ?? {};
}
const responseRows = (call) => {
  const data = dataSchemaOf(call);
  return rowsOf(data.items ?? data);
};

function renderFields(title, call, rows, marksRequired) {
  if (rows.length === 0) return "";
  return `<h3>${title}</h3>${renderTable(`${title}: ${call.title}`, rows, { marksRequired })}`;
}

function describeResponse(call, rows) {
  const [type] = contentOf(call.responses["200"]);
  if (type !== "application/json") return `The response has the type ${code(type)}.`;
  const data = dataSchemaOf(call);
  const fields = rows.length > 0 ? " with these fields:" : ".";
  if (data.items) return `${code("data")} is a list of objects${fields}`;
  if (data.anyOf?.some(({ type: choice }) => choice === "null"))
    return `${code("data")} is null or an object${fields}`;
  const isEmpty = rows.length === 0 && data.additionalProperties === false;
  return `${code("data")} is an ${isEmpty ? "empty object" : "object"}${fields}`;
}

function renderResponse(call) {
  const rows = responseRows(call);
  const table = rows.length > 0 ? renderTable(`Response: ${call.title}`, rows, { marksRequired: false }) : "";
  const dryRun = acceptsDryRun(dataSchemaOf(call))
    ? `<p>With ${code("dryRun=true")}, ${code("data")} is an <a href="${addressOf("access")}#previewAccess">access preview</a> instead.</p>`
    : "";
  return `<h3>Response</h3><p>${describeResponse(call, rows)}</p>${table}${dryRun}`;
}

const ORIGIN = "https://nebula.example.com";
const CREDENTIALS = {
  apiKey: "$LIGHTKEEPER_API_KEY",
  session: "$USER_TOKEN $AUTH_TOKEN",
  userToken: "$USER_TOKEN",
};
const LINE_LENGTH_MAX = 72;

function urlOf({ path, parameters }) {
  const examples = parameters.filter(({ example }) => example !== undefined);
  const inPath = examples.filter((parameter) => parameter.in === "path");
  const filled = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, example), path);
  const query = examples
    .filter((parameter) => parameter.in === "query")
    .map(({ name, example }) => `${name}=${encodeURIComponent(example).replaceAll("%3A", ":")}`);
  return query.length > 0 ? `"${ORIGIN}${filled}?${query.join("&")}"` : `${ORIGIN}${filled}`;
}

/** JSON on one line if it is short. */
function formatJson(value) {
  const line = JSON.stringify(value);
  return line.length <= LINE_LENGTH_MAX ? line : JSON.stringify(value, null, 2);
}

/** A request for a POSIX shell, one option per line. */
export function curlOf(call) {
  const [, { example: body } = {}] = call.requestBody ? contentOf(call.requestBody) : [];
  const [scheme] = call.security.flatMap(Object.keys);
  const impliedMethod = body === undefined ? "GET" : "POST";
  const options = [
    call.method !== impliedMethod && `-X ${call.method}`,
    scheme && `-H "Authorization: Bearer ${CREDENTIALS[scheme]}"`,
    body !== undefined && `-d '${formatJson(body).replaceAll("'", String.raw`'\''`)}'`,
  ];
  return [`curl -fsS ${urlOf(call)}`, ...options.filter(Boolean)].join(" \\\n  ");
}

const block = (text) => `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>`;

function renderExample(call) {
  const [type, { example } = {}] = contentOf(call.responses["200"]);
  const response = type === "application/json" ? JSON.stringify(example, null, 2) : example;
  return `<h3>Example</h3>${block(curlOf(call))}${response === undefined ? "" : block(response)}`;
}

const errorsOf = ({ responses }) =>
  Object.entries(responses)
    .filter(([status]) => status !== "200")
    .sort(([a], [b]) => Number(a) - Number(b))
    .flatMap(([status, { description }]) =>
      description.split("\n\n").map((line) => [status, ...line.split(/: (.*)/s, 2)]),
    );

function renderErrors(call) {
  const rows = errorsOf(call).map(
    ([status, name, message]) =>
      `<tr><td>${status}</td><td>${code(name)}</td><td>${escapeHtml(message)}</td></tr>`,
  );
  const head = ["Status", "Code", "Message"].map((title) => `<th scope="col">${title}</th>`).join("");
  return `<details><summary>Errors</summary><div class="table" role="region" aria-label="Errors: ${escapeHtml(call.title)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div></details>`;
}

function renderCall(call) {
  const { operationId, title, method, path, summary, description } = call;
  const marks = [call.deprecated && "Deprecated", call["x-lightkeeper"] && "Extension"].filter(Boolean);
  return `<h2 id="${operationId}">${prose(title)}${anchor(operationId, title)}</h2>
<p class="call"><span class="method">${method}</span> ${code(path)}${marks.map(mark).join("")}</p>
${summary === title ? "" : `<p>${prose(summary)}.</p>`}
<p class="callers"><strong>Who can call it:</strong> ${prose(description)}</p>
${renderFields("Parameters", call, parameterRows(call), true)}
${renderFields("Request body", call, bodyRows(call), true)}
${renderResponse(call)}
${renderExample(call)}
${renderErrors(call)}`;
}

function searchTextOf(call) {
  const rows = [...parameterRows(call), ...bodyRows(call), ...responseRows(call)];
  const fields = new Map(rows.map((row) => [row.name, row.description ?? row.schema.description ?? ""]));
  const described = [...fields].map(([name, text]) => `${name} ${text}`);
  return [`${call.method} ${call.path}`, `${call.summary}.`, ...described].join(" ").replaceAll("`", "");
}

const sectionOf = (call) => ({
  title: call.title.replaceAll("`", ""),
  depth: 2,
  slug: call.operationId,
  text: searchTextOf(call),
});

function renderNoun({ name, description, "x-displayName": title }, calls) {
  const links = calls.map(
    ({ operationId, method, path }) =>
      `<li><a href="#${operationId}"><span class="method">${method}</span> ${code(path)}</a></li>`,
  );
  return {
    name: nameOf(name),
    title: `${title} API`,
    label: title,
    address: addressOf(name),
    lead: description.replaceAll("`", ""),
    sections: [
      { title: `${title} API`, depth: 1, slug: "", text: description.replaceAll("`", "") },
      ...calls.map(sectionOf),
    ],
    links: [],
    html: `<h1>${escapeHtml(title)} API</h1><p>${prose(description)}</p><ul class="calls">${links.join("")}</ul>${calls.map(renderCall).join("")}`,
  };
}

export function createReferencePages(document) {
  const calls = callsOf(document);
  return document.tags.map((tag) =>
    renderNoun(
      tag,
      calls.filter(({ noun }) => noun === tag.name),
    ),
  );
}

/** Adds the list of all calls to the overview. */
export function addCalls(overview, document) {
  const calls = callsOf(document);
  const groups = document.tags.map(({ name, "x-displayName": title }) => {
    const items = calls
      .filter(({ noun }) => noun === name)
      .map(
        (call) =>
          `<li><a href="${addressOf(name)}#${call.operationId}"><span class="method">${call.method}</span> ${code(call.path)}</a> ${prose(call.title)}</li>`,
      );
    return `<h3 id="${name}"><a href="${addressOf(name)}">${escapeHtml(title)}</a></h3><ul class="calls">${items.join("")}</ul>`;
  });
  const title = "All calls";
  const text = document.tags.map(({ "x-displayName": noun }) => noun).join(", ");
  return {
    ...overview,
    sections: [...overview.sections, { title, depth: 2, slug: "all-calls", text }],
    html: `${overview.html}<h2 id="all-calls">${title}${anchor("all-calls", title)}</h2>${groups.join("")}`,
  };
}
