/** The commands of the CLI. */
import { ConfigError } from "../infrastructure/config/config.ts";
import { programName } from "../infrastructure/config/program-name.ts";
import { exportCommand } from "./export.ts";
import { flagCommand } from "./flag.ts";
import { importCommand } from "./import.ts";
import { loginLinkCommand } from "./login-link.ts";
import { migrateCommand } from "./migrate.ts";
import { resetSecondFactorCommand } from "./reset-second-factor.ts";
import { rotateSecretCommand } from "./rotate-secret.ts";
import { serveCommand } from "./serve.ts";
import { testMailCommand } from "./test-mail.ts";

interface Command {
  usage: string;
  summary: string;
  run: (args: string[], usage: string) => Promise<void>;
}

const commands: Command[] = [
  { usage: "serve", summary: "Start the server: console, API and agent endpoints", run: serveCommand },
  { usage: "migrate", summary: "Migrate the database to this version", run: migrateCommand },
  {
    usage: "export FILE",
    summary: "Export all data to a file; servers can keep running",
    run: exportCommand,
  },
  {
    usage: "import FILE [--replace] [--allow-older]",
    summary: "Import an export into an empty database, or replace existing data with --replace",
    run: importCommand,
  },
  {
    usage: "rotate-secret",
    summary:
      "Re-encrypt all secrets with a new SECRET_KEY: NEW_SECRET_KEY, or a generated key in DATA_DIR/secret.key",
    run: rotateSecretCommand,
  },
  {
    usage: "reset-second-factor EMAIL",
    summary: "Reset a user’s two-factor authentication and end their sessions",
    run: resetSecondFactorCommand,
  },
  {
    usage: "login-link EMAIL",
    summary: "Print a one-time login link for a user",
    run: loginLinkCommand,
  },
  {
    usage: "test-mail EMAIL",
    summary: "Send a test message and print the mail server’s response",
    run: testMailCommand,
  },
  {
    usage: "flag ORGANIZATION_ID NAME VALUE",
    summary: "Turn a feature flag of an organization on (true) or off (false)",
    run: flagCommand,
  },
];

const nameOf = ({ usage }: Command) => usage.split(" ")[0] ?? "";

export function helpText(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}\n`);
  return `Usage: ${programName()} COMMAND\n\n${lines.join("")}`;
}

export async function runCommand([name = "serve", ...args]: string[]): Promise<void> {
  if (["help", "--help", "-h"].includes(name)) return void process.stdout.write(helpText());
  const command = commands.find((candidate) => nameOf(candidate) === name);
  if (!command)
    throw new ConfigError(`Unknown command ${name}. Use ${commands.map(nameOf).join(", ")} or help.`);
  await command.run(args, command.usage);
}
