/**
 * Builds the documentation site: the pages in docs/, the API reference, a search index and the assets, all
 * precompressed. The build fails if contents.json doesn't list a page or a link is broken.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { renderLayout } from "../docs/site/layout.mjs";
import { addressOf, readPage } from "../docs/site/markdown.mjs";
import { addCalls, createReferencePages } from "../docs/site/reference.mjs";
import { createIndex } from "../docs/site/search.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "docs");
const EXCERPT_LENGTH = 160;
/** The page that the API reference belongs to. */
const OVERVIEW = "api";
const CHANGELOG = "changelog";
const NOT_FOUND = `# Page not found

This page may have moved. Search above, or start from the [home page](index.md).
`;

/** The document is created from TypeScript, which Node 20 can't import. */
async function readOpenApiDocument() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["contract/src/openapi.ts"],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "warning",
  });
  const bundle = Buffer.from(outputFiles[0].contents).toString("base64");
  const { openApiDocument } = await import(`data:text/javascript;base64,${bundle}`);
  return openApiDocument();
}

/** Every version has the same headings of the third level, and pages can't have two with the same name. */
const adjustChangelog = (markdown) =>
  markdown.replace(/^## \[([^\]]+)\]/gm, "## $1").replace(/^### (.+)$/gm, "**$1**");

async function readPages() {
  const groups = JSON.parse(await readFile(join(source, "contents.json"), "utf8"));
  const names = groups.flatMap(({ pages }) => pages);
  const files = (await readdir(source)).filter((file) => file.endsWith(".md"));
  const unlisted = files.filter((file) => !names.includes(file.slice(0, -".md".length)));
  if (unlisted.length > 0) throw new Error(`docs/contents.json doesn't list ${unlisted.join(", ")}`);
  const pages = new Map();
  for (const name of names) {
    const file = name === CHANGELOG ? "CHANGELOG.md" : `docs/${name}.md`;
    const markdown = await readFile(join(root, file), "utf8");
    pages.set(name, { ...readPage(name, name === CHANGELOG ? adjustChangelog(markdown) : markdown), file });
  }
  const document = await readOpenApiDocument();
  pages.set(OVERVIEW, addCalls(pages.get(OVERVIEW), document));
  const reference = createReferencePages(document);
  return groups.map(({ title, pages: group }) => ({
    title,
    pages: [...group.map((name) => pages.get(name)), ...(group.includes(OVERVIEW) ? reference : [])],
  }));
}

function assertLinksExist(pages) {
  const known = new Set();
  for (const { address, sections } of pages)
    for (const { slug } of sections) known.add(slug ? `${address}#${slug}` : address);
  for (const { name, address, links } of pages)
    for (const href of links) {
      const target = href.startsWith("#") ? `${address}${href}` : addressOf(href);
      if (target.startsWith("https://") || (target.startsWith("/") && !target.startsWith("/docs"))) continue;
      if (!known.has(target)) throw new Error(`docs/${name}.md has a broken link: ${href}`);
    }
}

function buildSearchIndex(pages) {
  const index = createIndex();
  for (const { title: page, address, sections } of pages)
    for (const { title, slug, text } of sections) {
      const excerpt = text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
      index.add({ id: slug ? `${address}#${slug}` : address, title, page, text, excerpt });
    }
  return JSON.stringify(index);
}

/** Bundles the assets. The styles and fonts come from the console. */
async function bundleAssets(directory) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: ["docs/site/docs.css", "docs/site/docs.mjs"],
    outdir: directory,
    bundle: true,
    minify: true,
    format: "esm",
    target: "esnext",
    loader: { ".woff2": "file" },
    assetNames: "[name]-[hash]",
    publicPath: "/docs",
    logLevel: "warning",
  });
}

async function compressFiles(directory) {
  const files = (await readdir(directory, { recursive: true })).filter((file) =>
    /\.(html|css|js|json)$/.test(file),
  );
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  for (const file of files.map((name) => join(directory, name))) {
    const content = await readFile(file);
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

async function writePage(directory, page, surroundings) {
  const file = join(directory, `${page.name}.html`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, renderLayout(page, surroundings));
}

export async function buildDocs(directory = join(root, "server/dist/docs")) {
  const groups = await readPages();
  const pages = groups.flatMap((group) => group.pages);
  assertLinksExist(pages);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await bundleAssets(directory);
  const font = (await readdir(directory)).find((file) => file.startsWith("inter-latin-wght-normal"));
  for (const [position, page] of pages.entries()) {
    const [previous, next] = [pages[position - 1], pages[position + 1]];
    await writePage(directory, page, { groups, font, previous, next });
  }
  await writePage(directory, readPage("not-found", NOT_FOUND), { groups, font });
  await writeFile(join(directory, "search.json"), buildSearchIndex(pages));
  await compressFiles(directory);
  return pages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildDocs();
