/** Converts Markdown to HTML. HTML in the source is escaped, and two headings with the same name are an error. */
import { Marked } from "marked";

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => entities[character]);

/** The visible text of tokens, without markup. */
function textOf(tokens) {
  return tokens
    .map((token) => {
      if (token.type === "table") return [token.header, ...token.rows].flat().map(cellText).join(" ");
      if (token.type === "list") return token.items.map((item) => textOf(item.tokens)).join(" ");
      return token.tokens ? textOf(token.tokens) : (token.text ?? " ");
    })
    .join("");
}
const cellText = ({ tokens }) => textOf(tokens);

const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The address of a page on the server: `firewall.md#ports` is served at /docs/firewall#ports. */
export function addressOf(href) {
  const [, name, fragment = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined) return href;
  return `/docs/${name === "index" ? "" : name}${fragment}`;
}

export const anchor = (slug, text) =>
  `<a class="anchor" href="#${slug}" aria-label="Link to ${escapeHtml(text)}">#</a>`;

/** A table row that starts with a name such as SECRET_KEY gets that name as its anchor. */
function nameOf([first]) {
  const [token, ...rest] = first.tokens;
  const isName = token?.type === "codespan" && rest.length === 0 && /^[A-Z][A-Z_]+$/.test(token.text);
  return isName ? token.text : undefined;
}

function table(parser, { header, rows }, label) {
  const inner = ({ tokens }) => parser.parseInline(tokens);
  const head = header.map((cell) => `<th scope="col">${inner(cell)}</th>`).join("");
  const row = (cells) => {
    const name = nameOf(cells);
    const columns = cells.map((cell) => `<td>${inner(cell)}</td>`).join("");
    return `<tr${name ? ` id="${name}"` : ""}>${columns}</tr>`;
  };
  const body = rows.map(row);
  // A wide table scrolls inside this element, so the element has to be focusable.
  return `<div class="table" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function createMarked(slugs) {
  let heading = "";
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        heading = textOf(tokens);
        const slug = slugs.get(heading);
        const inner = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1>${inner}</h1>`
          : `<h${depth} id="${slug}">${inner}${anchor(slug, heading)}</h${depth}>`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        return table(this.parser, token, `Table: ${heading}`);
      },
      code: ({ text }) =>
        `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>`,
    },
  });
}

/** Every heading with the text below it, and every table row that has a name. */
function sectionsOf(tokens, title) {
  const sections = [{ title, depth: 1, slug: "", text: "" }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth > 1) {
      const text = textOf(token.tokens);
      sections.push({ title: text, depth: token.depth, slug: slugOf(text), text: "" });
    } else if (token.type !== "heading") sections.at(-1).text += `${textOf([token])} `;
  }
  const tableRows = tokens.flatMap(({ type, rows = [] }) => (type === "table" ? rows : []));
  for (const cells of tableRows) {
    const name = nameOf(cells);
    if (name)
      sections.push({ title: name, depth: 0, slug: name, text: cells.slice(1).map(cellText).join(". ") });
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, " ").trim() }));
}

/** A comment, such as the marker of a generated table. */
const isComment = ({ type, text }) => type === "html" && /^<!--.*-->\s*$/s.test(text);

export function readPage(name, source) {
  const lexer = new Marked({ gfm: true });
  const tokens = lexer.lexer(source).filter((token) => !isComment(token));
  const [first] = tokens;
  if (first?.type !== "heading" || first.depth !== 1)
    throw new Error(`docs/${name}.md must start with a title`);
  const title = textOf(first.tokens);
  const sections = sectionsOf(tokens, title);
  const slugs = new Map(sections.map((section) => [section.title, section.slug]));
  if (new Set(slugs.values()).size !== sections.length)
    throw new Error(`docs/${name}.md has two headings with the same name`);
  const paragraph = tokens.find(({ type }) => type === "paragraph");
  const links = [];
  void lexer.walkTokens(tokens, (token) => {
    if (token.type === "link") links.push(token.href);
  });
  return {
    name,
    title,
    address: addressOf(`${name}.md`),
    lead: paragraph ? textOf(paragraph.tokens) : title,
    sections,
    links,
    html: createMarked(slugs).parser(tokens),
  };
}
