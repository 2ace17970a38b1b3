/** The process: reads the environment, opens the sockets, listens to signals. Knows no noun. */
import { runCommand } from "./commands/commands.ts";
import { ConfigError } from "./config.ts";

try {
  await runCommand(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exit(1);
}
