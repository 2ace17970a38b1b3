/** What an operator can ask for, by name. */
import { ConfigError } from "../infrastructure/config/config.ts";
import { demoCommand } from "./demo.ts";
import { exportCommand } from "./export.ts";
import { flagCommand } from "./flag.ts";
import { importCommand } from "./import.ts";
import { migrateCommand } from "./migrate.ts";
import { resetSecondFactorCommand } from "./reset-second-factor.ts";
import { rotateSecretCommand } from "./rotate-secret.ts";
import { serveCommand } from "./serve.ts";

interface Command {
  usage: string;
  summary: string;
  run: (args: string[], usage: string) => Promise<void>;
}

const commands: Command[] = [
  { usage: "serve", summary: "Serve the console, the API and the agents", run: serveCommand },
  { usage: "migrate", summary: "Bring the database to what this version needs", run: migrateCommand },
  {
    usage: "export FILE",
    summary: "Write everything into a file, as it is at this moment; servers may run",
    run: exportCommand,
  },
  {
    usage: "import FILE [--replace] [--allow-older]",
    summary:
      "Fill the database from an export: an empty one, or with --replace in the place of what it holds",
    run: importCommand,
  },
  {
    usage: "rotate-secret",
    summary: "Seal everything with another SECRET_KEY: NEW_SECRET_KEY, or a new one in DATA_DIR/secret.key",
    run: rotateSecretCommand,
  },
  {
    usage: "reset-second-factor EMAIL",
    summary: "Let somebody who has lost their authenticators set up another, signed out everywhere",
    run: resetSecondFactorCommand,
  },
  {
    usage: "flag ORGANIZATION_ID NAME VALUE",
    summary: "Turn a feature of an organization on or off: true or false",
    run: flagCommand,
  },
  { usage: "demo", summary: "Serve with a believable organization", run: demoCommand },
];

const nameOf = ({ usage }: Command) => usage.split(" ")[0] ?? "";

export function helpText(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}\n`);
  return `npm run cli -- COMMAND\n\n${lines.join("")}`;
}

export async function runCommand([name = "serve", ...args]: string[]): Promise<void> {
  if (["help", "--help", "-h"].includes(name)) return void process.stdout.write(helpText());
  const command = commands.find((candidate) => nameOf(candidate) === name);
  if (!command)
    throw new ConfigError(`There is no command ${name}: use ${commands.map(nameOf).join(", ")} or help`);
  await command.run(args, command.usage);
}
