import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { createApp } from "../app.ts";
import { startBackground } from "../background.ts";
import { type Config, readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { version } from "../version.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

/** Where the build puts the console, seen from the built server. */
const CONSOLE_DIRECTORY = join(import.meta.dirname, "../../web/dist");
/** Likewise the documentation. */
const DOCS_DIRECTORY = join(import.meta.dirname, "docs");
/** Likewise the agents. */
const DOWNLOADS_DIRECTORY = join(import.meta.dirname, "../../agent/dist");

export interface Prepared {
  ctx: Context;
  http: FastifyInstance;
  connectionString: string;
}
/** What is to be done before the first request; answers the address to show. */
type Prepare = (prepared: Prepared) => Promise<string>;

interface Started {
  url: string;
  stop: () => Promise<void>;
}

async function start(config: Config, prepare: Prepare): Promise<Started> {
  const startup = (message: string, details: object = {}) =>
    process.stdout.write(`${JSON.stringify({ level: "info", msg: message, ...details })}\n`);
  const database = await openDatabase(config, startup);
  const { connectionString } = database;
  const ctx = createContext({ config, connectionString, version });
  const { http, outbox, jobs, billing } = createApp(ctx, {
    consoleDirectory: CONSOLE_DIRECTORY,
    docsDirectory: DOCS_DIRECTORY,
    downloadsDirectory: DOWNLOADS_DIRECTORY,
  });
  let url: string;
  try {
    url = await prepare({ ctx, http, connectionString });
    await ctx.changes.open();
    await http.listen({ host: config.host, port: config.port });
  } catch (error) {
    await ctx.dispose();
    await database.stop();
    throw error;
  }
  outbox.start();
  jobs.start();
  billing.start();
  const stopBackground = startBackground(ctx);
  const stop = async () => {
    await http.close();
    await Promise.all([outbox.stop(), jobs.stop(), billing.stop(), stopBackground()]);
    await ctx.report.flush();
    await ctx.dispose();
    await database.stop();
  };
  return { url, stop };
}

export async function serveCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const config = readConfig(process.env);
  await serve(config, () => Promise.resolve(config.appURL));
}

/** Until a signal comes. */
export async function serve(config: Config, prepare: Prepare): Promise<void> {
  const starting = start(config, prepare);
  let stopping = false;
  // A signal that comes during the start waits for its end, so that no database is left behind.
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    process.stdout.write(`\n${signal}: stopping\n`);
    starting
      .then(({ stop }) => stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`);
          process.exit(1);
        },
      );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const { url } = await starting;
  if (!stopping) process.stdout.write(`\nLightkeeper ${version} is ready: ${url}\n\n`);
}
