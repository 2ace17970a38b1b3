/** Checks the built pages of the documentation, and how they're served. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { endpoints } from "@lightkeeper/contract/endpoints";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIndex } from "../../../../docs/site/search.mjs";
import type { DocsPages } from "../../../../scripts/build-docs.d.mts";
import { readConfig } from "../../infrastructure/config/config.ts";
import { escapeHtml } from "../../infrastructure/html/html.ts";
import { serveSecurityHeaders } from "../../infrastructure/http/security.ts";
import { buildTestDocs, unknownMentions } from "../../testing/docs-fixture.ts";
import { serveDocs } from "./docs.ts";

let directory: string;
let pages: DocsPages;
let files: string[];
let http: FastifyInstance;

beforeAll(async () => {
  ({ directory, pages } = await buildTestDocs());
  files = readdirSync(directory, { recursive: true, encoding: "utf8" });
  http = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  serveSecurityHeaders(http, readConfig({}));
  serveDocs(http, directory);
});
afterAll(async () => {
  await http.close();
  rmSync(directory, { recursive: true });
});

const builtHtml = (page: DocsPages[number]) => readFileSync(join(directory, `${page.name}.html`), "utf8");

describe("a page", () => {
  it("is in the navigation of every page, which marks the current page", () => {
    for (const page of pages) {
      const html = builtHtml(page);
      for (const { address } of pages) expect(html).toContain(`<li><a href="${address}"`);
      expect(html.match(/aria-current="page"/g)).toHaveLength(1);
      expect(html).toContain(`href="${page.address}" aria-current="page"`);
    }
  });

  it("has no broken links", () => {
    const anchors = new Set(["/openapi.json", "/dev/mail"]);
    for (const { address, sections } of pages)
      for (const { slug } of sections) anchors.add(slug ? `${address}#${slug}` : address);
    const links = pages.flatMap((page) =>
      [...builtHtml(page).matchAll(/<article>.*<\/article>/gs)].flatMap(([article]) =>
        [...article.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => ({
          page: page.name,
          text: href.startsWith("#") ? page.address + href : href,
        })),
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    // `web/src/app/features.test.ts` checks the links to pages of the console.
    const isConsolePage = (href: string) => href.startsWith("/") && !href.startsWith("/docs");
    const isKnown = (href: string) => href.startsWith("https://") || anchors.has(href) || isConsolePage(href);
    expect(unknownMentions(links, isKnown)).toEqual([]);
  });

  it("has one title, headings in order and unique IDs", () => {
    for (const page of pages) {
      const html = builtHtml(page);
      const levels = [...html.matchAll(/<article>.*<\/article>/gs)].flatMap(([article]) =>
        [...article.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level)),
      );
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels[0]).toBe(1);
      for (const [position, level] of levels.entries())
        expect(level - (levels[position - 1] ?? 0)).toBeLessThanOrEqual(1);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(html).toContain('<html lang="en">');
      expect(html).not.toMatch(/<img(?![^>]* alt=)|<th(?![^>]* scope=)[ >]|<a [^>]*><\/a>/);
    }
    expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length);
  });

  it("runs only its own script, which never creates markup from text", () => {
    for (const page of pages) {
      const html = builtHtml(page);
      expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
        '<script type="module" src="/docs/docs.js">',
      ]);
      expect(html).not.toMatch(/ on\w+="| style="|<style|javascript:|<iframe|&lt;!--/);
    }
    expect(readFileSync(join(directory, "docs.js"), "utf8")).not.toMatch(/innerHTML|\beval\(|new Function/);
  });
});

describe("the API reference", () => {
  const pageOf = (noun: string) =>
    readFileSync(join(directory, `api/${noun}.html`), "utf8").replaceAll("<wbr>", "");

  it("shows every call on the page of its noun, and lists it in the overview", () => {
    const overview = readFileSync(join(directory, "api.html"), "utf8");
    for (const [name, { noun, method, path }] of endpoints) {
      expect(pageOf(noun)).toContain(`<h2 id="${name}">`);
      expect(pageOf(noun)).toContain(`<span class="method">${method}</span> <code>${path}</code>`);
      expect(overview).toContain(`href="/docs/api/${noun}#${name}"`);
    }
  });

  it("shows an example request and response of every call", () => {
    for (const noun of new Set([...endpoints.values()].map((endpoint) => endpoint.noun))) {
      const calls = [...endpoints.values()].filter((endpoint) => endpoint.noun === noun);
      const examples = pageOf(noun).match(
        /<h3>Example<\/h3><div class="code"><pre tabindex="0"><code>curl -fsS (&quot;)?https:/g,
      );
      expect([noun, examples?.length]).toEqual([noun, calls.length]);
    }
    expect(pageOf("roles")).toContain(
      escapeHtml(`-d '{\n  "name": "Web",\n  "description": "Public web servers",\n  "firewallRules": [`),
    );
    expect(pageOf("networks")).toContain(escapeHtml(`-d '{"name":"Production","cidrs":["10.42.0.0/16"]}'`));
  });

  it("marks extensions, deprecated calls, required and optional fields", () => {
    const callOn = (noun: string, name: string) =>
      pageOf(noun)
        .split("<h2 ")
        .find((part) => part.startsWith(`id="${name}"`)) ?? "";
    expect(callOn("hosts", "bulkHosts")).toContain('<code>/v1/hosts/bulk</code><span class="mark">Extension');
    expect(callOn("hosts", "listHosts")).toContain('<code>/v1/hosts</code><span class="mark">Deprecated');
    expect(callOn("hosts", "listHostsV2")).not.toContain('</code><span class="mark">Deprecated');
    expect(callOn("roles", "createRole")).toContain(
      '<code>name</code><span class="type">string<span class="mark">Required',
    );
    expect(callOn("routes", "getRoute")).toContain(
      '<code>routerHostID</code><span class="type">string<span class="mark">Optional',
    );
    expect(callOn("roles", "createRole")).toContain('href="/docs/api/access#previewAccess"');
  });
});

describe("the search", () => {
  it.each([
    ["keycloak", "/docs/single-sign-on#keycloak"],
    ["lost authenticator", "/docs/members-and-roles#a-lost-authenticator"],
    ["SECRET_KEY", "/docs/configuration#SECRET_KEY"],
    ["restor", "/docs/backup-and-restore"],
    ["terafform", "/docs/other-tools#terraform"],
    ["rotate an API key", "/docs/api/api-keys#rotateApiKey"],
    ["/v1/hosts/bulk", "/docs/api/hosts#bulkHosts"],
    ["codeLifetimeSeconds", "/docs/api/hosts#createHostAndEnrollmentCodeV2"],
  ])("finds %s", (query, address) => {
    const index = openIndex(readFileSync(join(directory, "search.json"), "utf8"));
    const addresses = index.search(query).map(({ id }) => id);
    expect(addresses.slice(0, 5)).toContain(address);
  });
});

describe("the server", () => {
  const get = (url: string, headers: Record<string, string> = {}) => http.inject({ url, headers });

  it("serves the first page at /docs and /docs/, and the others by name", async () => {
    for (const url of ["/docs", "/docs/", ...pages.map(({ address }) => address)]) {
      const response = await get(url);
      expect([url, response.statusCode]).toEqual([url, 200]);
      expect(response.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
      });
      expect(response.headers["content-security-policy"]).toContain("trusted-types 'none'");
    }
  });

  it("serves the compressed files, and 304 if the client has the current version", async () => {
    for (const file of files.filter((name) => /\.(html|css|js|json)$/.test(name))) {
      const plain = await get(`/docs/${file}`);
      const br = await get(`/docs/${file}`, { "accept-encoding": "gzip, br" });
      const gzip = await get(`/docs/${file}`, { "accept-encoding": "gzip" });
      expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
    }
    const { headers } = await get("/docs/docs.css");
    const again = await get("/docs/docs.css", { "if-none-match": String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  it.each([["/docs/nowhere"], ["/docs/..%2f..%2fpackage.json"], ["/docs/docs.js.br"]])(
    "serves a not-found page for %s",
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(404);
      expect(response.body).toContain("Page not found");
    },
  );

  it("returns 404 if the docs haven't been built", async () => {
    const unbuilt = Fastify();
    serveDocs(unbuilt, join(directory, "nowhere"));
    for (const url of ["/docs", "/docs/api/hosts"]) expect((await unbuilt.inject(url)).statusCode).toBe(404);
    await unbuilt.close();
  });
});
