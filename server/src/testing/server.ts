/** A real server on a real database, with its clock and its mail in the test's hands. */
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createClient,
  createTotpAuthenticator,
  logInWithTotp,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
  whoami,
  type Client,
} from "@lightkeeper/contract";
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
import type { ImportParserOptions } from "../features/import/import-parser.ts";
import type { EventOptions } from "../features/live/events.routes.ts";
import type { Mailer } from "../infrastructure/mail/mailer.ts";
import type { Message } from "../infrastructure/mail/mailer.ts";
import type { ProviderEdges } from "../nouns/sso/pinned-fetch.ts";
import type { ResolveTxt } from "../nouns/sso/txt-records.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export interface Session {
  call: Client;
  email: string;
  userToken: string;
  authToken: string;
  totpSecret: string;
  organizationID: string;
  userID: string;
}

export interface TestServer {
  url: string;
  ctx: Context;
  app: App;
  database: TestDatabase;
  mails: Message[];
  /** What the first account needs, if it needs a code. */
  setupCode: string | undefined;
  /** A client that sends exactly these tokens. */
  client: (...tokens: string[]) => Client;
  /** Signed up, second factor registered, all through the API. */
  signUp: (email?: string) => Promise<Session>;
  /** Registers the first authenticator of somebody who has only confirmed their address. */
  registerFactor: (email: string, sessionToken: string) => Promise<Session>;
  /** Delivers what is queued and answers the token of the newest link for the address. */
  linkToken: (email: string) => Promise<string>;
  /** The code an authenticator shows, `steps` half-minutes from now. */
  code: (secret: string, steps?: number) => string;
  advance: (ms: number) => void;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  close: () => Promise<void>;
}

export interface TestServerOptions {
  environment?: Record<string, string>;
  database?: TestDatabase;
  /** The clock moves only by `advance`, and stands in the middle of a TOTP step. */
  frozen?: boolean;
  /** In place of the list in `mails`. */
  mailer?: Mailer;
  logTo?: DestinationStream;
  consoleDirectory?: string;
  agentHoldMs?: number;
  /** In place of what names lead nowhere: no test asks the world. */
  identityProviders?: ProviderEdges;
  /** What DNS answers; without it every lookup fails. */
  resolveTxt?: ResolveTxt;
  importParser?: ImportParserOptions;
  hostCommands?: HostCommandClientOptions;
  events?: EventOptions;
}

export { DAY_MS, HOUR_MS, MINUTE_MS } from "../infrastructure/time/durations.ts";

let accounts = 0;

const nowhere = (hostname: string) => Promise.reject(new Error(`${hostname} is in no test`));

const STEP_MS = 30_000;

export async function startTestServer({
  environment = {},
  database,
  frozen = false,
  logTo,
  consoleDirectory,
  agentHoldMs,
  identityProviders,
  resolveTxt = nowhere,
  importParser,
  hostCommands,
  events,
  ...edges
}: TestServerOptions = {}): Promise<TestServer> {
  const own = database ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-server-"));
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent", ...environment });
  const mails: Message[] = [];
  let offsetMs = 0;
  const startedAt = Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2;
  const clock = () => new Date((frozen ? startedAt : Date.now()) + offsetMs);
  const mailer = edges.mailer ?? { send: async (message: Message) => void mails.push(message) };
  enforceLockOrder();
  const ctx = createContext({ config, connectionString: own.url, version: "test", clock, mailer, logTo });
  const app = createApp(ctx, {
    strict: true,
    consoleDirectory,
    agentHoldMs,
    identityProviders: { resolve: nowhere, ...identityProviders },
    resolveTxt,
    hostCommands,
    events,
    importParser: { workerFile: inject("importWorkerFile"), ...importParser },
  });
  await ctx.changes.open();
  const setupCode = await createSetupCode(ctx);
  await app.http.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
  const pool = new pg.Pool({ connectionString: own.url, max: 2 });
  pool.on("error", () => undefined);

  const client = (...tokens: string[]) =>
    createClient({
      baseURL: url,
      authorization: () => (tokens.length ? `Bearer ${tokens.join(" ")}` : undefined),
    });
  const code = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: clock().getTime() + steps * STEP_MS,
    });

  const linkToken = async (email: string) => {
    await app.outbox.drain();
    const links = mails.flatMap(({ to, text }) =>
      to === email ? (/magicLinkToken=([\w-]+)/.exec(text)?.[1] ?? []) : [],
    );
    const token = links.at(-1);
    if (!token) throw new Error(`No link was sent to ${email}`);
    return token;
  };

  const registerFactor = async (email: string, sessionToken: string): Promise<Session> => {
    const half = client(sessionToken);
    const setup = await half(createTotpAuthenticator, { body: {} });
    const { authToken } = await half(verifyTotpAuthenticator, {
      body: { totpToken: setup.totpToken, code: code(setup.secret) },
    });
    const call = client(sessionToken, authToken);
    const { actor, organization } = await call(whoami);
    return {
      call,
      email,
      userToken: sessionToken,
      authToken,
      totpSecret: setup.secret,
      organizationID: organization.id,
      userID: actor.id,
    };
  };

  const signUp = async (email = `person${++accounts}@example.com`): Promise<Session> => {
    const anonymous = client();
    await anonymous(signup, { body: { email, ...(setupCode && { setupCode }) } });
    const { sessionToken } = await anonymous(verifyMagicLink, {
      body: { magicLinkToken: await linkToken(email) },
    });
    return registerFactor(email, sessionToken);
  };

  return {
    url,
    ctx,
    app,
    database: own,
    mails,
    setupCode,
    client,
    signUp,
    registerFactor,
    linkToken,
    code,
    advance: (ms) => void (offsetMs += ms),
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    close: async () => {
      await app.http.close();
      await Promise.all([app.outbox.stop(), app.jobs.stop()]);
      await pool.end();
      await ctx.dispose();
      if (!database) await own.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A fresh second factor for a session whose last one was used up or has grown old. */
export async function renew(server: TestServer, session: Session): Promise<Session> {
  server.advance(60_000);
  const { authToken } = await server.client(session.userToken)(logInWithTotp, {
    body: { code: server.code(session.totpSecret) },
  });
  return { ...session, authToken, call: server.client(session.userToken, authToken) };
}

/** Six digits that are no code of this authenticator now. */
export function wrongCode(server: TestServer, secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => server.code(secret, steps)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !right.has(code)) ?? "";
}
