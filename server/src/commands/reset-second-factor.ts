import { escapeLine } from "@lightkeeper/contract/characters";
import { readConfig } from "../infrastructure/config/config.ts";
import { createContext } from "../infrastructure/context/context.ts";
import { resetSecondFactor } from "../nouns/auth/second-factor-reset.service.ts";
import { version } from "../infrastructure/config/version.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

export async function resetSecondFactorCommand(args: string[], usage: string): Promise<void> {
  const [email = ""] = readArguments(args, usage).operands;
  const config = readConfig(process.env);
  const database = await openDatabase(config, () => undefined);
  const ctx = createContext({ config, connectionString: database.connectionString, version });
  try {
    const count = await ctx.audited((tx) => resetSecondFactor(tx, email, ctx.clock()));
    process.stdout.write(
      `Removed ${count} ${count === 1 ? "authenticator" : "authenticators"} of ${escapeLine(email)} and ended all sessions. ` +
        "A new authenticator is set up at the next login.\n",
    );
  } finally {
    await ctx.dispose();
    await database.stop();
  }
}
