/** Checks what the documentation says against the product. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCatalog, RoleCreate, scopes } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { OVERRIDE_KINDS } from "@lightkeeper/nebula";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DocsPages } from "../../../../scripts/build-docs.d.mts";
import { readConfig } from "../../infrastructure/config/config.ts";
import { startTestServer } from "../../testing/server.ts";
import { buildTestDocs, read, root, unknownMentions } from "../../testing/docs-fixture.ts";

let directory: string;
let pages: DocsPages;
beforeAll(async () => {
  ({ directory, pages } = await buildTestDocs());
});
afterAll(() => rmSync(directory, { recursive: true }));

const sourceNamed = (name: string) => read(`docs/${name}.md`);
/** Every match of a pattern in the source of the pages. The changelog may mention what no longer exists. */
const findMentions = (pattern: RegExp) =>
  pages.flatMap(({ name, file }) =>
    [...(file?.startsWith("docs/") ? read(file) : "").matchAll(pattern)].map(([all, group]) => ({
      page: name,
      text: group ?? all,
    })),
  );

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
    const script = read("server/src/features/install/option-functions.ts");
    const options = [...sourceNamed("enrolling-hosts").matchAll(/^\| `(--[\w-]+)/gm)].map(
      ([, option]) => option,
    );
    const usage = [...script.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
    expect(options).toEqual(usage);
  });
});

describe("the reference pages", () => {
  it("list every metric that the server exports, and no other", async () => {
    const server = await startTestServer();
    const body = await (await fetch(`${server.url}/metrics`)).text();
    await server.close();
    const exported = [...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const listed = [...sourceNamed("monitoring").matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(exported.length).toBeGreaterThan(30);
    expect(listed.sort()).toEqual(exported.sort());
    const used = [
      ...sourceNamed("monitoring").matchAll(/\b((?:lightkeeper|nodejs|process)_\w+?)(?:_count)?\b(?!`)/g),
    ];
    expect(used.map(([, name]) => name).filter((name) => !exported.includes(name))).toEqual([]);
  });

  it("name every command, option and exit code of the agent", () => {
    const agent = read("agent/src/main.ts");
    const page = sourceNamed("agent-reference");
    const commands = [.../const commands:.*?\{(.*?)\n\};/s.exec(agent)![1]!.matchAll(/^ {2}(\w+):/gm)].map(
      ([, name]) => name!,
    );
    expect(commands.length).toBeGreaterThanOrEqual(5);
    const isListed = (name: string) => page.includes(`\n| \`lightkeeper-agent ${name}\``);
    expect(commands.filter((name) => name !== "help" && !isListed(name))).toEqual([]);
    const options = [
      .../const OPTIONS = \{(.*?)\n\}/s.exec(agent)![1]!.matchAll(/^ {2}"?([\w-]+)"?: \{/gm),
    ].map(([, name]) => `--${name}`);
    const listed = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(options.sort());
    const codes = [...read("agent/src/errors.ts").matchAll(/^export const EXIT_\w+ = (\d)/gm)].map(
      ([, code]) => code!,
    );
    expect([...page.matchAll(/^\| (\d) /gm)].map(([, code]) => code)).toEqual(["0", "1", ...codes]);
  });

  it("name every file of the agent that can be read", () => {
    const page = sourceNamed("agent-reference");
    const script = read("server/src/features/install/install-script.ts");
    for (const file of page.match(/`\/(?:usr|etc|var)\/[\w./-]+`/g) ?? [])
      expect(script).toContain(file.split("/").at(-1)!.replace("`", ""));
    const sources = ["state", "status", "nebula", "nebula-files", "nebula-process", "run"]
      .map((name) => read(`agent/src/${name}.ts`))
      .join("\n");
    for (const [, file] of page.matchAll(/^\| `(\w+\.\w+)` /gm)) expect(sources).toContain(`"${file}"`);
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
