/** A `serve` process with a small and a large organization, and Chromium. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_SECONDS, HOUR_MS } from "@lightkeeper/contract/durations";
import pg from "pg";
import type { Browser, BrowserContext } from "playwright-core";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { type Context, createContext, readConfig, sweepPresence } from "@lightkeeper/server/app";
import { createOwner, seed, logInOwner } from "@lightkeeper/server/seeds";
import { freePort } from "@lightkeeper/e2e/dataplane";
import { serve } from "./serve-process.ts";

// The benchmarks are bundled, but this library can't be.
const { chromium } = createRequire(import.meta.url)("playwright-core") as typeof import("playwright-core");

export interface ConsoleSystem {
  /** A new browser context with an empty cache, logged in to the organization with this many hosts. */
  visit: (hosts: number) => Promise<BrowserContext>;
  stop: () => Promise<void>;
}

interface Tokens {
  userToken: string;
  authToken: string;
}

async function createOrganization(ctx: Context, hosts: number): Promise<Tokens> {
  const owner = await createOwner(ctx, { email: `owner-of-${hosts}@example.com`, now: ctx.clock() });
  await seed(ctx, {
    organizationID: owner.organizationID,
    hosts,
    now: new Date(ctx.clock().getTime() - HOUR_MS),
  });
  return logInOwner(ctx, owner, "benchmark");
}

async function openAs(browser: Browser, url: string, { userToken, authToken }: Tokens) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const cookie = { url, sameSite: "Strict", secure: true, expires: Date.now() / 1000 + DAY_SECONDS } as const;
  await context.addCookies([
    { ...cookie, name: "usertoken", value: userToken },
    { ...cookie, name: "authtoken", value: authToken },
  ]);
  return context;
}

/** `prepare` changes the data before the first visit. */
export async function startConsoleSystem(
  sizes: readonly number[],
  prepare?: (client: pg.Client) => Promise<void>,
): Promise<ConsoleSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const database = await startEmbeddedPostgres({ dataDir, database: "lightkeeper", log: () => undefined });
  const { connectionString } = database;
  const port = await freePort();
  const server = await serve({ dataDir, port });
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  const people = new Map<number, Tokens>();
  // The largest first, because the database caches query plans for the first organization.
  for (const hosts of sizes.toSorted((a, b) => b - a))
    people.set(hosts, await createOrganization(ctx, hosts));
  // The hosts have no agents: mark them offline now rather than during a measurement.
  while ((await sweepPresence(ctx)) > 0);
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query("vacuum analyze");
  await prepare?.(client);
  await client.end();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  return {
    visit: async (hosts) => {
      const tokens = people.get(hosts);
      if (!tokens) throw new Error(`No organization with ${hosts} hosts`);
      // The console's cookies require a secure context, which localhost is.
      return openAs(browser, `http://localhost:${port}`, tokens);
    },
    stop: async () => {
      await browser.close();
      await ctx.dispose();
      await server.stop();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
