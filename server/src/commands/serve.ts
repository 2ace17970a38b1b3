import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { createApp } from "../app/app.ts";
import { createSetupCode } from "../nouns/auth/setup-code.service.ts";
import { startBackground } from "../app/background.ts";
import { type Config, readConfig } from "../infrastructure/config/config.ts";
import { type Context, createContext } from "../infrastructure/context/context.ts";
import { version } from "../infrastructure/config/version.ts";
import { createLog } from "../infrastructure/logging/log.ts";
import { explainListenError, requireFreePort } from "../infrastructure/http/free-port.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

/**
 * Connections that wait to be accepted, limited by the kernel's `net.core.somaxconn`. After a restart, all agents
 * connect at once; those that don't fit try again after seconds, each time later.
 */
const BACKLOG = 65_535;
/** The root of the source, relative to the built server. */
const ROOT = join(import.meta.dirname, "../..");
const CONSOLE_DIRECTORY = join(ROOT, "web/dist");
const DOCS_DIRECTORY = join(ROOT, "server/dist/docs");
const DOWNLOADS_DIRECTORY = join(ROOT, "agent/dist");

export interface Prepared {
  ctx: Context;
  http: FastifyInstance;
  connectionString: string;
}
interface ServeOptions {
  /** Runs before the first request; returns the URL to print. */
  prepare: (prepared: Prepared) => Promise<string>;
  /** Shown above every page of the console. */
  notice?: string;
}

/** Connections that are idle for this long at the end of the grace period are closed. */
const IDLE_MS_MAX = 1000;
/** Stopping takes no longer than this after the grace period, even if the database is not responding. */
const STOP_MS_MAX = 20_000;
/** Limit after a second signal. */
const HURRY_MS_MAX = 5000;
/** npm forwards a signal that the terminal has already sent to the whole process group. */
const SAME_SIGNAL_MS = 500;

interface RunningServer {
  url: string;
  /** Required for the first account; undefined if there are accounts, or on a local server. */
  setupCode: string | undefined;
  /** Stops gracefully, or immediately once `hurry` is aborted. */
  stop: (hurry: AbortSignal) => Promise<void>;
}

async function start(config: Config, { prepare, notice }: ServeOptions): Promise<RunningServer> {
  const log = createLog(config);
  await requireFreePort(config);
  const database = await openDatabase(config, (message, details = {}) => log.info(details, message));
  const { connectionString } = database;
  const ctx = createContext({ config, connectionString, version });
  const { http, shutdown, ...app } = createApp(ctx, {
    consoleDirectory: CONSOLE_DIRECTORY,
    docsDirectory: DOCS_DIRECTORY,
    downloadsDirectory: DOWNLOADS_DIRECTORY,
    notice,
  });
  let url: string;
  let setupCode: string | undefined;
  try {
    url = await prepare({ ctx, http, connectionString });
    setupCode = await createSetupCode(ctx);
    await ctx.changes.open();
    await http.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  } catch (error) {
    await ctx.dispose();
    await database.stop();
    throw explainListenError(error, config);
  }
  const { outbox, jobs, guaranteeMonitor, notifier, deliveries, billing } = app;
  const workers = [outbox, jobs, guaranteeMonitor, notifier, deliveries, billing];
  for (const worker of workers) worker.start();
  const stopBackground = startBackground(ctx);
  const stop = async (hurry: AbortSignal) => {
    const graceMs = config.shutdownGraceSeconds * 1000;
    shutdown.begin({ idleMs: Math.min(graceMs, IDLE_MS_MAX) });
    await sleep(graceMs, undefined, { signal: hurry }).catch(() => undefined);
    hurry.addEventListener("abort", () => http.server.closeAllConnections());
    if (hurry.aborted) http.server.closeAllConnections();
    await http.close();
    await Promise.all([...workers.map((worker) => worker.stop()), stopBackground()]);
    await ctx.report.flush();
    await ctx.dispose();
    await database.stop();
  };
  return { url, setupCode, stop };
}

export async function serveCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const config = readConfig(process.env);
  await serve(config, { prepare: () => Promise.resolve(config.appURL) });
}

function exitAfter(ms: number): void {
  setTimeout(() => {
    process.stderr.write("Shutdown took too long. Exiting.\n");
    process.exit(1);
  }, ms);
}

/** Runs until a signal arrives. A second signal stops without waiting for requests. */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const starting = start(config, options);
  const hurry = new AbortController();
  let stoppingSince: number | undefined;
  // A signal during startup waits for its end, so that no database process is left running.
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (hurry.signal.aborted || performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
      exitAfter(HURRY_MS_MAX);
      return hurry.abort();
    }
    stoppingSince = performance.now();
    process.stdout.write(`\n${signal}: stopping\n`);
    exitAfter(config.shutdownGraceSeconds * 1000 + STOP_MS_MAX);
    starting
      .then(({ stop }) => stop(hurry.signal))
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
  const { url, setupCode } = await starting;
  if (stoppingSince !== undefined) return;
  process.stdout.write(`\nLightkeeper ${version} is ready: ${url}\n`);
  if (setupCode) process.stdout.write(`Setup code for the first account, at ${url}/signup: ${setupCode}\n`);
  process.stdout.write("\n");
}
