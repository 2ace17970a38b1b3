import { escapeLine } from "@lightkeeper/contract/characters";
import { readConfig } from "../infrastructure/config/config.ts";
import { resetSecondFactor } from "../nouns/auth/second-factor-reset.service.ts";
import { readArguments } from "./arguments.ts";
import { withContext } from "./database.ts";

export async function resetSecondFactorCommand(args: string[], usage: string): Promise<void> {
  const [email = ""] = readArguments(args, usage).operands;
  const count = await withContext(readConfig(process.env), (ctx) =>
    ctx.audited((tx) => resetSecondFactor(tx, email, ctx.clock())),
  );
  process.stdout.write(
    `Removed ${count} ${count === 1 ? "authenticator" : "authenticators"} of ${escapeLine(email)} and ended all sessions. ` +
      "A new authenticator is set up at the next login.\n",
  );
}
