/** The process: reads the environment, opens the sockets, listens to signals. Knows no noun. */
import { demoCommand } from "./commands/demo.ts";
import { flagCommand } from "./commands/flag.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { serveCommand } from "./commands/serve.ts";
import { ConfigError } from "./config.ts";

const commands: Record<string, (args: string[]) => Promise<void>> = {
  serve: serveCommand,
  migrate: migrateCommand,
  flag: flagCommand,
  demo: demoCommand,
};

const [name = "serve", ...args] = process.argv.slice(2);
const command = commands[name];

try {
  if (!command) throw new ConfigError(`There is no command ${name}: use ${Object.keys(commands).join(", ")}`);
  await command(args);
} catch (error) {
  const expected = error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exit(1);
}
