/** Malicious files that cost time or memory, and large files that are valid. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { createNetwork, planImport } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readItems } from "../../features/import/read-items.ts";
import { createImporter, type Importer } from "../importer.ts";
import { fillLimit } from "../rate-limits.ts";
import { requestErrorOf, outcomeOf, errorsOf } from "../request-errors.ts";
import { startTestServer, type TestServer } from "../server.ts";

const TIMEOUT_MS = 240_000;

/** As JSON, just under the request limit of 1 MiB. */
const LENGTH = 990_000;
const fill = (part: string) => part.repeat(Math.floor(LENGTH / (JSON.stringify(part).length - 2)));

const HOSTS = 5000;
const VALID = `hosts:\n${Array.from(
  { length: HOSTS },
  (_, index) =>
    `  - {name: host-${index}, network: Large, tags: ["env:prod", "team:t${index % 50}"], listenPort: 4242}`,
).join("\n")}`;

/** Within every limit, and slow. */
const SLOW = `hosts: [${`[${"a,".repeat(15)}],`.repeat(HOSTS)}]`;

let server: TestServer;
let importer: Importer;
beforeAll(async () => {
  // The machine may be busy, so only the tests of the deadline use a short deadline.
  server = await startTestServer({ importParser: { deadlineMs: TIMEOUT_MS } });
  importer = await createImporter(server);
  await importer.call(createNetwork, { body: { name: "Large", cidr: "10.64.0.0/16" } });
});
afterAll(() => server.close());

/** The longest time in which the process served nothing else, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  histogram.enable();
  await work();
  histogram.disable();
  return histogram.max / 1e6;
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

describe("a file with too many items", () => {
  it.each([
    ["yaml", "empty lists", `hosts: [${fill("[],")}]`, 5000, "hosts"],
    ["yaml", "empty lists in a map in braces", `{hosts: [${fill("[],")}]}`, 5000, "hosts"],
    ["yaml", "dashes", `roles:\n${fill("-\n")}`, 500, "roles"],
    ["yaml", "keys instead of a list", `tags: {${fill("a: 1,")}}`, 500, "tags"],
    ["yaml", "values in one item", `hosts: [{tags: [${fill("a,")}]}]`, 200_000, "values"],
    ["csv", "rows", `name\n${fill("a\n")}`, 6000, "items"],
    ["csv", "cells in one row", `name\n${fill("a,")}`, 65_536, "characters"],
    ["csv", "a quote that is never closed", `name\n"${fill("a\n")}`, 65_536, "characters"],
  ] as const)(
    "is rejected with the limit that it exceeds: %s, %s",
    async (format, _what, content, limit, unit) => {
      const [entry] = await errorsOf(importer.call(planImport, { body: { format, content } }));
      expect(entry).toMatchObject({ code: "ERR_LIMIT_EXCEEDED", path: "content", extra: { limit } });
      expect(entry?.message).toContain(`more than ${limit} ${unit}`);
    },
    TIMEOUT_MS,
  );

  it("is rejected long before it is read completely", () => {
    const bomb = `hosts: [${fill("[],")}]`;
    const rejected = timeOf(() => expect(() => readItems({ format: "yaml", content: bomb })).toThrow());
    const largest = timeOf(() => readItems({ format: "yaml", content: VALID }));
    expect(rejected).toBeLessThan(largest);
  });
});

describe("a file designed to take a long time", () => {
  const anchors = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
  );

  it.each([
    ["aliases of aliases", `a0: &a0 [x]\n${anchors.join("\n")}\nhosts: [*a30]`, /^line 1: /],
    ["a merge of an alias", "base: &base {name: a}\nhosts: [{<<: *base}]", /^line 1: /],
    ["brackets in brackets", `hosts: ${fill("[")}`, /nested too deeply$/],
    ["dashes after dashes", `hosts:\n  ${fill("- ")}`, /nested too deeply$/],
    ["keys after keys", fill("a: "), /nested too deeply$/],
    [
      "indentation",
      Array.from({ length: 1300 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
      /nested too deeply$/,
    ],
    ["documents", fill("---\n"), /only one document is allowed$/],
    ["ends of documents", fill("...\n"), /only one document is allowed$/],
  ])(
    "is rejected: %s",
    async (_what, content, message) => {
      const entries = await errorsOf(importer.planYaml(content));
      expect(entries).toEqual([
        { code: "ERR_INVALID_VALUE", path: "content", message: expect.stringMatching(message) },
      ]);
    },
    TIMEOUT_MS,
  );

  const tooLong = ["ERR_INVALID_VALUE_LENGTH", "must have a length between 1 and 255"];
  const notOneLine = [
    "ERR_INVALID_VALUE",
    "must not contain line breaks, control characters or invisible characters",
  ];
  const notText = ["ERR_INVALID_VALUE", "Invalid input: expected string, received Infinity"];

  it.each([
    ["one word", fill("a"), [tooLong]],
    ["a quoted word", `"${fill(String.raw`\x41`)}"`, [tooLong]],
    ["lines", `|\n${fill("      a\n")}`, [tooLong, notOneLine]],
    ["digits", fill("1"), [notText]],
  ])(
    "has a value that is too long: %s",
    async (_what, value, errors) => {
      const plan = await importer.planYaml(`hosts:\n  - network: Main\n    name: ${value}`);
      expect(plan.create).toEqual([]);
      expect(plan.reject).toEqual(
        errors.map(([code, message]) => ({ place: "hosts[0]", path: "name", code, message })),
      );
    },
    TIMEOUT_MS,
  );

  it(
    "does not block other requests",
    async () => {
      const onThisThread = timeOf(() => readItems({ format: "yaml", content: SLOW }));
      let answers = 0;
      let isDone = false;
      const block = await longestBlock(async () => {
        const planning = importer.planYaml(SLOW).finally(() => (isDone = true));
        while (!isDone) {
          expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
          answers++;
          await setTimeout(10);
        }
        await planning;
      });
      expect(block).toBeLessThan(onThisThread / 2);
      expect(answers).toBeGreaterThan(5);
    },
    TIMEOUT_MS,
  );

  it(
    "is stopped after its deadline, and the next file is read",
    async () => {
      const hasty = await startTestServer({ database: server.database, importParser: { deadlineMs: 50 } });
      try {
        const call = hasty.client(importer.session.userToken, importer.session.authToken);
        const [entry] = await errorsOf(call(planImport, { body: { format: "yaml", content: SLOW } }));
        expect(entry).toMatchObject({
          code: "ERR_LIMIT_EXCEEDED",
          path: "content",
          message: "takes more than 0.05 seconds to read: split the file",
          extra: { limit: 0.05 },
        });
        expect(process.getActiveResourcesInfo()).not.toContain("Worker");
      } finally {
        await hasty.close();
      }
      expect((await importer.planYaml("hosts: []")).reject).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "is stopped when it needs too much memory, and the process continues",
    async () => {
      const small = await startTestServer({ database: server.database, importParser: { heapMaxMB: 24 } });
      try {
        const call = small.client(importer.session.userToken, importer.session.authToken);
        const [entry] = await errorsOf(call(planImport, { body: { format: "yaml", content: VALID } }));
        expect(entry).toMatchObject({
          code: "ERR_LIMIT_EXCEEDED",
          path: "content",
          message: "takes more than 24 MB of memory to read: split the file",
          extra: { limit: 24 },
        });
        expect((await fetch(`${small.url}/healthz`)).status).toBe(200);
      } finally {
        await small.close();
      }
    },
    TIMEOUT_MS,
  );
});

describe("a large file that is valid", () => {
  it(
    "is planned without blocking other requests, and applied",
    async () => {
      const onThisThread = timeOf(() => readItems({ format: "yaml", content: VALID }));
      let plan: Awaited<ReturnType<Importer["planYaml"]>> | undefined;
      const block = await longestBlock(async () => (plan = await importer.planYaml(VALID)));
      expect(plan?.create).toHaveLength(HOSTS);
      expect(plan?.reject).toEqual([]);
      expect(block).toBeLessThan(onThisThread / 2);
      expect(await importer.apply(plan!)).toEqual({ created: HOSTS, changed: 0 });
      const again = await importer.planYaml(VALID);
      expect(again).toMatchObject({ create: [], change: [], reject: [], unchanged: HOSTS });
    },
    TIMEOUT_MS,
  );
});

describe("many files", () => {
  it(
    "wait in a limited queue, and are rejected with a retry time beyond it",
    async () => {
      const hasty = await startTestServer({ database: server.database, importParser: { deadlineMs: 100 } });
      try {
        const other = await createImporter(hasty);
        const plans = await Promise.all(
          Array.from({ length: 30 }, () =>
            other.planYaml(SLOW).then(
              () => undefined,
              (error: unknown) => error,
            ),
          ),
        );
        const codes = plans.map((error) => (error as { errors?: { code: string }[] })?.errors?.[0]?.code);
        expect(codes).toContain("ERR_TOO_MANY_REQUESTS");
        expect(codes.filter((code) => code !== "ERR_TOO_MANY_REQUESTS").length).toBeGreaterThanOrEqual(20);
      } finally {
        await hasty.close();
      }
    },
    TIMEOUT_MS,
  );

  it(
    "are limited per organization in 15 minutes",
    async () => {
      const eager = await createImporter(server);
      await eager.planYaml("hosts: []");
      // Each plan starts a thread, so 58 of the first 59 are only counted.
      const limit = { name: "import:organization", subject: eager.session.organizationID };
      await fillLimit(server, limit, 59);
      expect(await outcomeOf(eager.planYaml("hosts: []"))).toBe("done");
      expect(await outcomeOf(eager.planYaml("hosts: []"))).toBe("ERR_TOO_MANY_REQUESTS");
      const { response } = await requestErrorOf(eager.planYaml("hosts: []"));
      expect(response?.status).toBe(429);
      expect(Number(response?.headers.get("retry-after"))).toBeGreaterThan(60);
      expect(await outcomeOf(importer.planYaml("hosts: []"))).toBe("done");
    },
    TIMEOUT_MS,
  );

  it(
    "leave only the ten newest plans of an organization, and don't affect other organizations",
    async () => {
      const one = await createImporter(server);
      const other = await createImporter(server);
      const theirs = await other.planYaml("roles: [{name: Theirs}]");
      const plans = [];
      for (let count = 0; count < 12; count++)
        plans.push(await one.planYaml(`roles: [{name: Role ${count}}]`));
      const [{ count }] = (await server.query(
        "select count(*)::int from import_plans where organization_id = $1",
        [one.session.organizationID],
      )) as [{ count: number }];
      expect(count).toBe(10);
      expect(await outcomeOf(one.apply(plans[0]!))).toBe("ERR_INVALID_VALUE");
      expect(await outcomeOf(one.apply(plans[1]!))).toBe("ERR_INVALID_VALUE");
      expect(await outcomeOf(one.apply(plans[2]!))).toBe("done");
      expect(await other.apply(theirs)).toEqual({ created: 1, changed: 0 });
    },
    TIMEOUT_MS,
  );
});
