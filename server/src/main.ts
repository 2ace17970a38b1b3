/** The process: reads the environment, opens the sockets, listens to signals. Knows no noun. */
import { escapeText } from "@lightkeeper/contract/characters";
import { runCommand } from "./commands/commands.ts";
import { ConfigError } from "./infrastructure/config/config.ts";

try {
  await runCommand(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof ConfigError;
  const text = expected ? error.message : String((error as Error).stack ?? error);
  process.stderr.write(`${escapeText(text)}\n`);
  process.exit(1);
}
