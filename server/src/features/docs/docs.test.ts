/** Checks the documentation against the product, and how it's served. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { errorCatalog, RoleCreate, scopes } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { OVERRIDE_KINDS } from "@lightkeeper/nebula";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIndex } from "../../../../docs/site/search.mjs";
import type { DocsPages } from "../../../../scripts/build-docs.d.mts";
import { buildDocs } from "../../../../scripts/build-docs.mjs";
import { readConfig } from "../../infrastructure/config/config.ts";
import { serveReference } from "../../infrastructure/http/api-reference.ts";
import { serveSecurityHeaders } from "../../infrastructure/http/security.ts";
import { serveDocs } from "./docs.ts";

const root = resolve(import.meta.dirname, "../../../..");
const directory = mkdtempSync(join(tmpdir(), "lightkeeper-docs-"));
const read = (path: string) => readFileSync(join(root, path), "utf8");
let pages: DocsPages;
let files: string[];
let http: FastifyInstance;

beforeAll(async () => {
  pages = await buildDocs(directory);
  files = readdirSync(directory);
  http = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  serveSecurityHeaders(http, readConfig({}));
  serveReference(http);
  serveDocs(http, directory);
});
afterAll(async () => {
  await http.close();
  rmSync(directory, { recursive: true });
});

const sourceOf = (page: DocsPages[number]) => read(`docs/${page.name}.md`);
const builtHtml = (page: DocsPages[number]) => readFileSync(join(directory, `${page.name}.html`), "utf8");
const sourceNamed = (name: string) => read(`docs/${name}.md`);
/** Every match of a pattern in the source of the pages. */
const findMentions = (pattern: RegExp) =>
  pages.flatMap((page) =>
    [...sourceOf(page).matchAll(pattern)].map(([all, group]) => ({ page: page.name, text: group ?? all })),
  );
const unknownMentions = (mentions: { page: string; text: string }[], isKnown: (text: string) => boolean) =>
  mentions.filter(({ text }) => !isKnown(text));

describe("a page", () => {
  it("is in the navigation of every page, which marks the current page", () => {
    for (const page of pages) {
      const html = builtHtml(page);
      for (const { address } of pages) expect(html).toContain(`<li><a href="${address}"`);
      expect(html).toContain('<li><a href="/docs/api">');
      expect(html.match(/aria-current="page"/g)).toHaveLength(1);
      expect(html).toContain(`href="${page.address}" aria-current="page"`);
    }
  });

  it("has no broken links", () => {
    const anchors = new Set(["/docs/api", "/openapi.json", "/dev/mail"]);
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

describe("the search", () => {
  it.each([
    ["keycloak", "/docs/single-sign-on#keycloak"],
    ["lost authenticator", "/docs/members-and-roles#a-lost-authenticator"],
    ["SECRET_KEY", "/docs/configuration#SECRET_KEY"],
    ["restor", "/docs/backup-and-restore"],
    ["terafform", "/docs/other-tools#terraform"],
  ])("finds %s", (query, address) => {
    const index = openIndex(readFileSync(join(directory, "search.json"), "utf8"));
    const addresses = index.search(query).map(({ id }) => id);
    expect(addresses.slice(0, 5)).toContain(address);
  });
});

describe("the content", () => {
  it("lists every variable that the server reads, and no other", () => {
    const variableNames = new Set<string>();
    const env = { STRIPE_SECRET_KEY: "a", STRIPE_WEBHOOK_SECRET: "b", STRIPE_PRICE_ID: "c" };
    readConfig(
      new Proxy<Record<string, string | undefined>>(env, {
        get: (values, name) => (variableNames.add(String(name)), values[String(name)]),
      }),
    );
    const rows = [...sourceNamed("configuration").matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...variableNames].sort());
  });

  it("shows the actual defaults", () => {
    const config = readConfig({});
    const defaults = new Map(
      [...sourceNamed("configuration").matchAll(/^\| `([A-Z_]+)` +\| `([^`]*)` +\|/gm)].map(
        ([, name, value]) => [name, value],
      ),
    );
    expect(Object.fromEntries(defaults)).toEqual({
      PORT: String(config.port),
      HOST: config.host,
      APP_URL: config.appURL.replace("8080", "{PORT}"),
      API_URL: "APP_URL",
      APP_ENV: config.appEnv,
      DATA_DIR: "./data",
      MAIL_FROM: config.mailFrom,
      DOCS_URL: config.docsURL,
      FEATURE_FLAGS: JSON.stringify(config.featureFlags),
      FREE_PLAN_HOST_LIMIT: String(config.freePlanHostLimit),
      LOG_LEVEL: config.logLevel,
      TRUST_PROXY: String(config.trustProxy),
    });
  });

  it("mentions only API endpoints that exist", () => {
    const known = [...endpoints.values()].map(
      ({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, String.raw`(\{\w+\}|[a-z]+-[A-Z2-7]{26})`)}$`),
    );
    const paths = findMentions(/(?<![\w/])(?:https:\/\/nebula\.example\.com)?(\/v\d\/[\w/{}.-]*[\w}])/g);
    expect(paths.length).toBeGreaterThan(20);
    expect(unknownMentions(paths, (path) => known.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it("shows only request bodies that the API accepts", () => {
    const examples = findMentions(/(curl (?:[^`]|\n)*?-d '\{(?:[^`']|\n)*\}')/g).map(({ page, text }) => {
      const method = /-X (\w+)/.exec(text)?.[1] ?? "POST";
      const path = /nebula\.example\.com(\/\S+)/.exec(text)?.[1] ?? "";
      const body: unknown = JSON.parse(/-d '(.*)'/s.exec(text)?.[1] ?? "");
      const endpoint = [...endpoints.values()].find(
        (candidate) =>
          candidate.method === method &&
          new RegExp(`^${candidate.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
      );
      return {
        page,
        path,
        issues: endpoint?.body?.safeParse(body).error?.issues ?? (endpoint ? [] : ["no endpoint"]),
      };
    });
    expect(examples.length).toBeGreaterThanOrEqual(5);
    expect(examples.filter(({ issues }) => issues.length > 0)).toEqual([]);
    const rules = [...sourceNamed("firewall").matchAll(/```json\n(.*?)```/gs)].map(
      ([, json = ""]) => JSON.parse(json) as unknown,
    );
    expect(rules.length).toBeGreaterThanOrEqual(3);
    expect(RoleCreate.safeParse({ name: "Web", firewallRules: rules }).error).toBeUndefined();
  });

  it("mentions only error codes, scripts and commands that exist", () => {
    expect(
      unknownMentions(findMentions(/\bERR_[A-Z0-9_]+/g), (code) => Object.hasOwn(errorCatalog, code)),
    ).toEqual([]);
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(
      unknownMentions(findMentions(/npm run ([\w:]+)/g), (name) => Object.hasOwn(scripts, name)),
    ).toEqual([]);
    const commands = read("server/src/commands/commands.ts");
    const isCommand = (name: string) => name === "help" || new RegExp(`usage: "${name}[ "]`).test(commands);
    expect(unknownMentions(findMentions(/npm run cli -- ([\w-]+)/g), isCommand)).toEqual([]);
    const agent = read("agent/src/main.ts");
    const agentCommands = findMentions(/lightkeeper-agent (enroll|run|status|unenroll|[a-z]+(?=`))/g);
    expect(unknownMentions(agentCommands, (name) => agent.includes(`lightkeeper-agent ${name}`))).toEqual([]);
    const scriptFiles = readdirSync(join(root, "scripts"));
    expect(
      unknownMentions(findMentions(/scripts\/([\w.-]+\.mjs)/g), (name) => scriptFiles.includes(name)),
    ).toEqual([]);
  });

  it("mentions every scope, override and command, and every option of the install script", () => {
    const api = sourceNamed("using-the-api");
    expect(scopes.filter((scope) => !api.includes(`\`${scope}\``))).toEqual([]);
    expect(
      unknownMentions(
        findMentions(/`(\w[\w-]+:\w+)`/g).filter(({ page }) => page === "using-the-api"),
        (text) => scopes.some((scope) => scope === text) || text.startsWith("env:"),
      ),
    ).toEqual([]);
    const keys = [...sourceNamed("tags-and-overrides").matchAll(/^\| `([\w.]+)` /gm)].map(([, key]) => key);
    expect(keys.sort()).toEqual(Object.keys(OVERRIDE_KINDS).sort());
    const usages = [...read("server/src/commands/commands.ts").matchAll(/usage: "([^"]+)"/g)];
    const documented = [...sourceNamed("configuration").matchAll(/^\| `npm run (?:cli -- )?([^`]+)`/gm)];
    expect(documented.map(([, usage]) => usage)).toEqual(
      expect.arrayContaining(usages.map(([, usage]) => usage)),
    );
    const script = read("server/src/features/install/install-script.ts");
    const options = [...sourceNamed("enrolling-hosts").matchAll(/^\| `(--[\w-]+)/gm)].map(
      ([, option]) => option,
    );
    const usage = [...script.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
    expect(options).toEqual(usage);
  });
});

describe("the messages in the tables", () => {
  const sources = ["server/src", "postgres/src", "agent/src", "contract/src", "scripts"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => /(?<!\.test)\.(ts|mjs)$/.test(file))
    .map(read)
    .join("\n");

  it.each([["troubleshooting"], ["single-sign-on"]])("of %s are in the code", (name) => {
    const tables = [...sourceNamed(name).matchAll(/^\| Message .*\n(?:\|.*\n)+/gm)].map(([table]) => table);
    const messages = tables.flatMap((table) =>
      [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, text]) => text),
    );
    expect(messages.length).toBeGreaterThanOrEqual(8);
    // A message can start with the name of a variable, and an ellipsis stands for a value.
    const fragments = messages.flatMap((message = "") => message.replace(/^[A-Z_]+ /, "").split("…"));
    expect(fragments.filter((fragment) => !sources.includes(fragment.trim()))).toEqual([]);
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
    expect((await get("/docs/api")).body).toContain("API reference");
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

  it("redirects to the API reference if the docs haven't been built", async () => {
    const unbuilt = Fastify();
    serveDocs(unbuilt, join(directory, "nowhere"));
    expect((await unbuilt.inject("/docs")).headers.location).toBe("/docs/api");
    expect((await unbuilt.inject("/docs/quick-start")).statusCode).toBe(404);
    await unbuilt.close();
  });
});
