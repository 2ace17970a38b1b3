/** The layout of a page. Its IDs start with an underscore, so they never collide with the ID of a heading. */
import { escapeHtml } from "./markdown.mjs";

const link = ({ address, title, label = title }, current) =>
  `<li><a href="${address}"${address === current ? ' aria-current="page"' : ""}>${escapeHtml(label)}</a></li>`;

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

const neighborLink = (page, rel, label) =>
  page
    ? `<a rel="${rel}" href="${page.address}"><span>${label}</span> ${escapeHtml(page.title)}</a>`
    : "<span></span>";

export function renderLayout(page, { groups, font, previous, next }) {
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
<a class="all" href="#_pages">All pages</a>
<a class="console" href="/">Console</a>
</header>
<div class="columns">
<main id="_content" tabindex="-1"><article>${page.html}</article>
<nav class="neighbors" aria-label="Previous and next page">${neighborLink(previous, "prev", "Previous")}${neighborLink(next, "next", "Next")}</nav></main>
${onThisPage(page.sections)}
<nav class="pages" id="_pages" aria-label="Documentation" tabindex="-1">${navigation(groups, page.address)}</nav>
</div>
</body>
</html>
`;
}
