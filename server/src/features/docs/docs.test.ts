/** What the documentation says, held against the product; and how it is served. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { errorCatalogue, RoleCreate, scopes } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { OVERRIDE_KINDS } from "@lightkeeper/nebula";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIndex } from "../../../../docs/site/search.mjs";
import type { DocsPages } from "../../../../scripts/build-docs.d.mts";
import { buildDocs } from "../../../../scripts/build-docs.mjs";
import { readConfig } from "../../infrastructure/config/config.ts";
import { serveReference } from "../../infrastructure/http/reference.ts";
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
const built = (page: DocsPages[number]) => readFileSync(join(directory, `${page.name}.html`), "utf8");
const sourceNamed = (name: string) => read(`docs/${name}.md`);
/** All that is written, with the page it is on. */
const found = (pattern: RegExp) =>
  pages.flatMap((page) =>
    [...sourceOf(page).matchAll(pattern)].map(([all, group]) => ({ page: page.name, text: group ?? all })),
  );
const missing = (mentions: { page: string; text: string }[], isThere: (text: string) => boolean) =>
  mentions.filter(({ text }) => !isThere(text));

describe("a page", () => {
  it("is in the navigation of every page, and knows that it is itself", () => {
    for (const page of pages) {
      const html = built(page);
      for (const { address } of pages) expect(html).toContain(`<li><a href="${address}"`);
      expect(html).toContain('<li><a href="/docs/api">');
      expect(html.match(/aria-current="page"/g)).toHaveLength(1);
      expect(html).toContain(`href="${page.address}" aria-current="page"`);
    }
  });

  it("leads nowhere that is not there", () => {
    const anchors = new Set(["/docs/api", "/openapi.json", "/dev/mail"]);
    for (const { address, sections } of pages)
      for (const { slug } of sections) anchors.add(slug ? `${address}#${slug}` : address);
    const console = [...read("web/src/app/router.tsx").matchAll(/(?:path: |hostPages\()"(\/[^"]*)"/g)];
    for (const [, path = ""] of console) anchors.add(path);
    const links = pages.flatMap((page) =>
      [...built(page).matchAll(/<article>.*<\/article>/gs)].flatMap(([article]) =>
        [...article.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => ({
          page: page.name,
          text: href.startsWith("#") ? page.address + href : href,
        })),
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(missing(links, (href) => href.startsWith("https://") || anchors.has(href))).toEqual([]);
  });

  it("has one title, headings in their order, and names of its own for all that can be led to", () => {
    for (const page of pages) {
      const html = built(page);
      const levels = [...html.matchAll(/<article>.*<\/article>/gs)].flatMap(([article]) =>
        [...article.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level)),
      );
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels[0]).toBe(1);
      for (const [place, level] of levels.entries())
        expect(level - (levels[place - 1] ?? 0)).toBeLessThanOrEqual(1);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(html).toContain('<html lang="en">');
      expect(html).not.toMatch(/<img(?![^>]* alt=)|<th(?![^>]* scope=)[ >]|<a [^>]*><\/a>/);
    }
    expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length);
  });

  it("runs no script but ours, and nothing in that makes markup of text", () => {
    for (const page of pages) {
      const html = built(page);
      expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
        '<script type="module" src="/docs/docs.js">',
      ]);
      expect(html).not.toMatch(/ on\w+="| style="|<style|javascript:|<iframe/);
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
  ])("finds %s", (words, address) => {
    const index = openIndex(readFileSync(join(directory, "search.json"), "utf8"));
    const places = index.search(words).map(({ id }) => id);
    expect(places.slice(0, 5)).toContain(address);
  });
});

describe("what is said", () => {
  it("names every variable that is read, and no other", () => {
    const asked = new Set<string>();
    const given = { STRIPE_SECRET_KEY: "a", STRIPE_WEBHOOK_SECRET: "b", STRIPE_PRICE_ID: "c" };
    readConfig(
      new Proxy<Record<string, string | undefined>>(given, {
        get: (values, name) => (asked.add(String(name)), values[String(name)]),
      }),
    );
    const rows = [...sourceNamed("configuration").matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...asked].sort());
  });

  it("gives the defaults that hold", () => {
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

  it("names no call of the API that there is not", () => {
    const known = [...endpoints.values()].map(
      ({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, String.raw`(\{\w+\}|[a-z]+-[A-Z2-7]{26})`)}$`),
    );
    const calls = found(/(?<![\w/])(?:https:\/\/nebula\.example\.com)?(\/v\d\/[\w/{}.-]*[\w}])/g);
    expect(calls.length).toBeGreaterThan(20);
    expect(missing(calls, (path) => known.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it("shows only bodies that the calls would take", () => {
    const shown = found(/(curl (?:[^`]|\n)*?-d '\{(?:[^`']|\n)*\}')/g).map(({ page, text }) => {
      const method = /-X (\w+)/.exec(text)?.[1] ?? "POST";
      const path = /nebula\.example\.com(\/\S+)/.exec(text)?.[1] ?? "";
      const body: unknown = JSON.parse(/-d '(.*)'/s.exec(text)?.[1] ?? "");
      const call = [...endpoints.values()].find(
        (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
      );
      return { page, path, issues: call?.body?.safeParse(body).error?.issues ?? (call ? [] : ["no call"]) };
    });
    expect(shown.length).toBeGreaterThanOrEqual(5);
    expect(shown.filter(({ issues }) => issues.length > 0)).toEqual([]);
    const rules = [...sourceNamed("firewall").matchAll(/```json\n(.*?)```/gs)].map(
      ([, json = ""]) => JSON.parse(json) as unknown,
    );
    expect(rules.length).toBeGreaterThanOrEqual(3);
    expect(RoleCreate.safeParse({ name: "Web", firewallRules: rules }).error).toBeUndefined();
  });

  it("names no error, no script and no command that there is not", () => {
    expect(missing(found(/\bERR_[A-Z0-9_]+/g), (code) => Object.hasOwn(errorCatalogue, code))).toEqual([]);
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(missing(found(/npm run ([\w:]+)/g), (name) => Object.hasOwn(scripts, name))).toEqual([]);
    const commands = read("server/src/commands/commands.ts");
    const isCommand = (name: string) => name === "help" || new RegExp(`usage: "${name}[ "]`).test(commands);
    expect(missing(found(/npm run cli -- ([\w-]+)/g), isCommand)).toEqual([]);
    const agent = read("agent/src/main.ts");
    const agentCommands = found(/lightkeeper-agent (enroll|run|status|unenroll|[a-z]+(?=`))/g);
    expect(missing(agentCommands, (name) => agent.includes(`lightkeeper-agent ${name}`))).toEqual([]);
    const build = readdirSync(join(root, "scripts"));
    expect(missing(found(/scripts\/([\w.-]+\.mjs)/g), (name) => build.includes(name))).toEqual([]);
  });

  it("names every scope, override and command, and every option of the install script", () => {
    const api = sourceNamed("using-the-api");
    expect(scopes.filter((scope) => !api.includes(`\`${scope}\``))).toEqual([]);
    expect(
      missing(
        found(/`(\w[\w-]+:\w+)`/g).filter(({ page }) => page === "using-the-api"),
        (text) => scopes.some((scope) => scope === text) || text.startsWith("env:"),
      ),
    ).toEqual([]);
    const keys = [...sourceNamed("tags-and-overrides").matchAll(/^\| `([\w.]+)` /gm)].map(([, key]) => key);
    expect(keys.sort()).toEqual(Object.keys(OVERRIDE_KINDS).sort());
    const usages = [...read("server/src/commands/commands.ts").matchAll(/usage: "([^"]+)"/g)];
    const told = [...sourceNamed("configuration").matchAll(/^\| `npm run (?:cli -- )?([^`]+)`/gm)];
    expect(told.map(([, usage]) => usage)).toEqual(expect.arrayContaining(usages.map(([, usage]) => usage)));
    const script = read("server/src/features/install/install-script.ts");
    const options = [...sourceNamed("enrolling-hosts").matchAll(/^\| `(--[\w-]+)/gm)].map(
      ([, option]) => option,
    );
    const usage = [...script.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
    expect(options).toEqual(usage);
  });
});

describe("the server", () => {
  const get = (url: string, headers: Record<string, string> = {}) => http.inject({ url, headers });

  it("sends the first page at /docs and /docs/, and every other by its name", async () => {
    for (const url of ["/docs", "/docs/", ...pages.map(({ address }) => address)]) {
      const answer = await get(url);
      expect([url, answer.statusCode]).toEqual([url, 200]);
      expect(answer.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
      });
      expect(answer.headers["content-security-policy"]).toContain("trusted-types 'none'");
    }
    expect((await get("/docs/api")).body).toContain("API reference");
  });

  it("sends what was compressed, and nothing to who has it already", async () => {
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
    "has a page of its own for what is not there: %s",
    async (url) => {
      const answer = await get(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.body).toContain("There is no such page");
    },
  );

  it("leads to the reference where nothing has been built", async () => {
    const bare = Fastify();
    serveDocs(bare, join(directory, "nowhere"));
    expect((await bare.inject("/docs")).headers.location).toBe("/docs/api");
    expect((await bare.inject("/docs/quick-start")).statusCode).toBe(404);
    await bare.close();
  });
});
