/** The demo's process. */
import { escapeText } from "@lightkeeper/contract/characters";
import { ConfigError } from "@lightkeeper/server/app";
import { runDemo } from "./demo.ts";

try {
  await runDemo();
} catch (error) {
  const isExpected = error instanceof ConfigError;
  const text = isExpected ? error.message : String((error as Error).stack ?? error);
  process.stderr.write(`${escapeText(text)}\n`);
  process.exit(1);
}
