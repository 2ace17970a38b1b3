/** A real server with a real database, and with a clock and mail that the test controls. */
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, logInWithTotp, type Client } from "@lightkeeper/contract";
import { Secret, TOTP } from "otpauth";
import pg from "pg";
import type { DestinationStream } from "pino";
import { inject } from "vitest";
import type { HostCommandClientOptions } from "../features/agents/host-command-client.ts";
import { type App, createApp } from "../app/app.ts";
import { createSetupCode } from "../nouns/auth/setup-code.service.ts";
import { readConfig } from "../infrastructure/config/config.ts";
import { type Context, createContext } from "../infrastructure/context/context.ts";
import { enforceLockOrder } from "../infrastructure/db/lock-order.ts";
import { LOCK_ORDER } from "../infrastructure/db/lock-rows.ts";
import type { ImportParserOptions } from "../features/import/import-parser.ts";
import type { EventOptions } from "../features/live/events.routes.ts";
import type { Mailer } from "../infrastructure/mail/mailer.ts";
import type { Message } from "../infrastructure/mail/mailer.ts";
import type { OutgoingEdges } from "../infrastructure/outgoing/pinned-connections.ts";
import type { ResolveTxt } from "../nouns/sso/txt-records.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";
import { createTestAccounts, type Session, type TestAccounts } from "./accounts.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

const LOCK_WAITS =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

export interface TestServer extends TestAccounts {
  url: string;
  ctx: Context;
  app: App;
  database: TestDatabase;
  mails: Message[];
  /** Required for the first account on servers that are not local. */
  setupCode: string | undefined;
  /** A client that sends exactly these tokens. */
  client: (...tokens: string[]) => Client;
  /** The code of an authenticator, `steps` half-minutes from now. */
  code: (secret: string, steps?: number) => string;
  advance: (ms: number) => void;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** How many statements wait for a lock. */
  countLockWaits: () => Promise<number>;
  close: () => Promise<void>;
}

export interface TestServerOptions {
  environment?: Record<string, string>;
  database?: TestDatabase;
  /** The clock moves only by `advance`, and starts in the middle of a TOTP step. */
  frozen?: boolean;
  /** Replaces the mailer that fills `mails`. */
  mailer?: Mailer;
  logTo?: DestinationStream;
  consoleDirectory?: string;
  agentPollMs?: number;
  /** By default no host name resolves, so that no test uses the Internet. */
  identityProviders?: OutgoingEdges;
  /** By default no host name resolves. */
  webhooks?: OutgoingEdges;
  /** By default every lookup fails. */
  resolveTxt?: ResolveTxt;
  importParser?: ImportParserOptions;
  hostCommands?: HostCommandClientOptions;
  events?: EventOptions;
}

export type { Session } from "./accounts.ts";
export { DAY_MS, HOUR_MS, MINUTE_MS } from "../infrastructure/time/durations.ts";

const failToResolve = (hostname: string) => Promise.reject(new Error(`Tests don't resolve ${hostname}`));

const STEP_MS = 30_000;

function createTestClock(isFrozen: boolean) {
  let offsetMs = 0;
  const startedAt = Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2;
  return {
    now: () => new Date((isFrozen ? startedAt : Date.now()) + offsetMs),
    advance: (ms: number) => void (offsetMs += ms),
  };
}

function createTestApp(ctx: Context, options: TestServerOptions): App {
  const { consoleDirectory, agentPollMs, hostCommands, events } = options;
  return createApp(ctx, {
    strict: true,
    consoleDirectory,
    agentPollMs,
    identityProviders: { resolve: failToResolve, ...options.identityProviders },
    webhooks: { resolve: failToResolve, ...options.webhooks },
    resolveTxt: options.resolveTxt ?? failToResolve,
    hostCommands,
    events,
    importParser: { workerFile: inject("importWorkerFile"), ...options.importParser },
  });
}

async function stopWorkers({ outbox, jobs, guaranteeMonitor, notifier, deliveries }: App): Promise<void> {
  await Promise.all([outbox, jobs, guaranteeMonitor, notifier, deliveries].map((worker) => worker.stop()));
}

const createTestClient = (baseURL: string, tokens: string[]) =>
  createClient({
    baseURL,
    authorization: () => (tokens.length ? `Bearer ${tokens.join(" ")}` : undefined),
  });

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-server-"));
  const mails: Message[] = [];
  const clock = createTestClock(options.frozen ?? false);
  enforceLockOrder(LOCK_ORDER);
  const ctx = createContext({
    config: readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent", ...options.environment }),
    connectionString: database.url,
    version: "test",
    clock: clock.now,
    mailer: options.mailer ?? { send: async (message) => void mails.push(message) },
    logTo: options.logTo,
  });
  const app = createTestApp(ctx, options);
  await ctx.changes.open();
  const setupCode = await createSetupCode(ctx);
  await app.http.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => undefined);

  const client = (...tokens: string[]) => createTestClient(url, tokens);
  const code = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: clock.now().getTime() + steps * STEP_MS,
    });
  return {
    url,
    ctx,
    app,
    database,
    mails,
    setupCode,
    client,
    code,
    ...createTestAccounts({ client, code, setupCode, mails, deliverMail: () => app.outbox.drain() }),
    advance: clock.advance,
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    countLockWaits: async () => (await pool.query(LOCK_WAITS)).rows.length,
    close: async () => {
      await app.http.close();
      await stopWorkers(app);
      await pool.end();
      await ctx.dispose();
      if (!options.database) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Presents the second factor again. */
export async function renew(server: TestServer, session: Session): Promise<Session> {
  server.advance(MINUTE_MS);
  const { authToken } = await server.client(session.userToken)(logInWithTotp, {
    body: { code: server.code(session.totpSecret) },
  });
  return { ...session, authToken, call: server.client(session.userToken, authToken) };
}

/** Six digits that are not a valid code of this authenticator. */
export function wrongCode(server: TestServer, secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => server.code(secret, steps)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !right.has(code)) ?? "";
}
