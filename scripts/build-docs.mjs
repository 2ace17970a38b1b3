/**
 * Builds the documentation site: the pages in docs/, a search index and the assets, all precompressed. The build fails
 * if contents.json doesn't list a page or a link is broken.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { renderLayout } from "../docs/site/layout.mjs";
import { addressOf, readPage } from "../docs/site/markdown.mjs";
import { createIndex } from "../docs/site/search.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "docs");
const EXCERPT_LENGTH = 160;
/** Served by the API server; listed in the navigation with the other pages. */
const REFERENCE = { address: "/docs/api", title: "API reference" };
const NOT_FOUND = `# Page not found

This page may have moved. Search above, or start from the [home page](index.md).
`;

async function readPages() {
  const groups = JSON.parse(await readFile(join(source, "contents.json"), "utf8"));
  const names = groups.flatMap(({ pages }) => pages);
  const files = (await readdir(source)).filter((file) => file.endsWith(".md"));
  const unlisted = files.filter((file) => !names.includes(file.slice(0, -".md".length)));
  if (unlisted.length > 0) throw new Error(`docs/contents.json doesn't list ${unlisted.join(", ")}`);
  const pages = new Map();
  for (const name of names)
    pages.set(name, readPage(name, await readFile(join(source, `${name}.md`), "utf8")));
  return {
    pages,
    groups: groups.map(({ title, pages: groupPages }) => ({
      title,
      pages: groupPages.map((name) => pages.get(name)),
    })),
  };
}

function assertLinksExist(pages) {
  const known = new Set([REFERENCE.address]);
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
  const files = (await readdir(directory)).filter((file) => /\.(html|css|js|json)$/.test(file));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  for (const file of files.map((name) => join(directory, name))) {
    const content = await readFile(file);
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

export async function buildDocs(directory = join(root, "server/dist/docs")) {
  const { pages: byName, groups } = await readPages();
  const pages = [...byName.values()];
  assertLinksExist(pages);
  const navigation = groups.map(({ title, pages: groupPages }) => ({
    title,
    pages: groupPages.some(({ name }) => name === "using-the-api") ? [...groupPages, REFERENCE] : groupPages,
  }));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await bundleAssets(directory);
  const font = (await readdir(directory)).find((file) => file.startsWith("inter-latin-wght-normal"));
  for (const [position, page] of pages.entries()) {
    const surroundings = {
      groups: navigation,
      font,
      previous: pages[position - 1],
      next: pages[position + 1],
    };
    await writeFile(join(directory, `${page.name}.html`), renderLayout(page, surroundings));
  }
  const notFound = renderLayout(readPage("not-found", NOT_FOUND), { groups: navigation, font });
  await writeFile(join(directory, "not-found.html"), notFound);
  await writeFile(join(directory, "search.json"), buildSearchIndex(pages));
  await compressFiles(directory);
  return pages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildDocs();
