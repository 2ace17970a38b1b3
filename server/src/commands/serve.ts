import { join } from "node:path";
import { createApp } from "../app.ts";
import { startBackground } from "../background.ts";
import { type Config, readConfig } from "../config.ts";
import { createContext } from "../context.ts";
import { version } from "../version.ts";
import { openDatabase } from "./database.ts";

/** Where the build puts the console, seen from the built server. */
const CONSOLE_DIRECTORY = join(import.meta.dirname, "../../web/dist");

async function start(config: Config): Promise<() => Promise<void>> {
  const startup = (message: string, details: object = {}) =>
    process.stdout.write(`${JSON.stringify({ level: "info", msg: message, ...details })}\n`);
  const database = await openDatabase(config, startup);
  const ctx = createContext({ config, connectionString: database.connectionString, version });
  const { http, outbox } = createApp(ctx, { consoleDirectory: CONSOLE_DIRECTORY });
  try {
    await ctx.changes.open();
    await http.listen({ host: config.host, port: config.port });
  } catch (error) {
    await ctx.dispose();
    await database.stop();
    throw error;
  }
  outbox.start();
  const stopBackground = startBackground(ctx);
  return async () => {
    await http.close();
    await Promise.all([outbox.stop(), stopBackground()]);
    await ctx.report.flush();
    await ctx.dispose();
    await database.stop();
  };
}

export async function serveCommand(): Promise<void> {
  const config = readConfig(process.env);
  const starting = start(config);
  let stopping = false;
  // A signal that comes during the start waits for its end, so that no database is left behind.
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    process.stdout.write(`\n${signal}: stopping\n`);
    starting
      .then((stop) => stop())
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
  await starting;
  if (!stopping) process.stdout.write(`\nLightkeeper ${version} is ready: ${config.appURL}\n\n`);
}
