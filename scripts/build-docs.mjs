/**
 * Builds the documentation: every page of docs/, a search index and what the pages need, precompressed. A page that no
 * list names, and a link that leads nowhere, fail the build.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { layOut } from "../docs/site/layout.mjs";
import { addressOf, readPage } from "../docs/site/markdown.mjs";
import { createIndex } from "../docs/site/search.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "docs");
const EXCERPT_LENGTH = 160;
/** Not a page of ours, but one of the list. */
const REFERENCE = { address: "/docs/api", title: "API reference" };
const NOT_FOUND = `# There is no such page

It may have another name by now. Search for it above, or begin [at the start](index.md).
`;

async function readPages() {
  const groups = JSON.parse(await readFile(join(source, "contents.json"), "utf8"));
  const names = groups.flatMap(({ pages }) => pages);
  const files = (await readdir(source)).filter((file) => file.endsWith(".md"));
  const unlisted = files.filter((file) => !names.includes(file.slice(0, -".md".length)));
  if (unlisted.length > 0) throw new Error(`docs/contents.json does not name ${unlisted.join(", ")}`);
  const pages = new Map();
  for (const name of names)
    pages.set(name, readPage(name, await readFile(join(source, `${name}.md`), "utf8")));
  return {
    pages,
    groups: groups.map(({ title, pages: own }) => ({ title, pages: own.map((name) => pages.get(name)) })),
  };
}

function refuseBrokenLinks(pages) {
  const known = new Set([REFERENCE.address]);
  for (const { address, sections } of pages)
    for (const { slug } of sections) known.add(slug ? `${address}#${slug}` : address);
  for (const { name, address, links } of pages)
    for (const href of links) {
      const target = href.startsWith("#") ? `${address}${href}` : addressOf(href);
      if (target.startsWith("https://") || (target.startsWith("/") && !target.startsWith("/docs"))) continue;
      if (!known.has(target)) throw new Error(`docs/${name}.md leads to ${href}, which is not there`);
    }
}

function indexOf(pages) {
  const index = createIndex();
  for (const { title: page, address, sections } of pages)
    for (const { title, slug, text } of sections) {
      const excerpt = text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
      index.add({ id: slug ? `${address}#${slug}` : address, title, page, text, excerpt });
    }
  return JSON.stringify(index);
}

/** What the console looks like is said once; its styles and fonts are taken from there. */
async function bundle(directory) {
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

async function compress(directory) {
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
  refuseBrokenLinks(pages);
  const list = groups.map(({ title, pages: own }) => ({
    title,
    pages: own.some(({ name }) => name === "using-the-api") ? [...own, REFERENCE] : own,
  }));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await bundle(directory);
  const font = (await readdir(directory)).find((file) => file.startsWith("inter-latin-wght-normal"));
  for (const [place, page] of pages.entries()) {
    const around = { groups: list, font, previous: pages[place - 1], next: pages[place + 1] };
    await writeFile(join(directory, `${page.name}.html`), layOut(page, around));
  }
  const notFound = layOut(readPage("not-found", NOT_FOUND), { groups: list, font });
  await writeFile(join(directory, "not-found.html"), notFound);
  await writeFile(join(directory, "search.json"), indexOf(pages));
  await compress(directory);
  return pages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildDocs();
