/**
 * A page around its text: where one is, where else one can go, and how to find it. Its own names begin with an underscore,
 * which no heading of a text can be led to by.
 */
import { escapeHtml } from "./markdown.mjs";

const link = ({ address, title }, current) =>
  `<li><a href="${address}"${address === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`;

const navigation = (groups, current) =>
  groups
    .map(
      ({ title, pages }) =>
        `<section><h2>${escapeHtml(title)}</h2><ul>${pages.map((page) => link(page, current)).join("")}</ul></section>`,
    )
    .join("");

function onThisPage(sections) {
  const shown = sections.filter(({ depth }) => depth === 2);
  if (shown.length < 3) return "";
  const items = shown.map(({ slug, title }) => `<li><a href="#${slug}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-labelledby="_on-this-page"><h2 id="_on-this-page">On this page</h2><ul>${items.join("")}</ul></nav>`;
}

const neighbour = (page, rel, word) =>
  page
    ? `<a rel="${rel}" href="${page.address}"><span>${word}</span> ${escapeHtml(page.title)}</a>`
    : "<span></span>";

export function layOut(page, { groups, font, previous, next }) {
  const title = page.name === "index" ? "Documentation" : `${page.title} - Documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="description" content="${escapeHtml(page.lead)}">
<title>${escapeHtml(title)} - Lightkeeper</title>
<link rel="icon" href="/icon.svg">
<link rel="preload" href="/docs/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#_content">Skip to content</a>
<header>
<a class="home" href="/docs/"><img src="/icon.svg" alt="" width="24" height="24">Lightkeeper <span>Documentation</span></a>
<search hidden><input type="search" id="_search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" maxlength="100"><kbd aria-hidden="true">/</kbd><div id="_results" tabindex="-1" hidden></div></search>
<a class="all" href="#_pages">Pages</a>
<a class="console" href="/">Console</a>
</header>
<div class="columns">
<main id="_content" tabindex="-1"><article>${page.html}</article>
<nav class="neighbours" aria-label="Previous and next page">${neighbour(previous, "prev", "Previous")}${neighbour(next, "next", "Next")}</nav></main>
${onThisPage(page.sections)}
<nav class="pages" id="_pages" aria-label="Documentation" tabindex="-1">${navigation(groups, page.address)}</nav>
</div>
</body>
</html>
`;
}
