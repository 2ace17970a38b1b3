import { escapeLine } from "@lightkeeper/contract/characters";
import { readConfig } from "../infrastructure/config/config.ts";
import { createLoginLink } from "../nouns/auth/magic-links.service.ts";
import { readArguments } from "./arguments.ts";
import { withContext } from "./database.ts";

export async function loginLinkCommand(args: string[], usage: string): Promise<void> {
  const [email = ""] = readArguments(args, usage).operands;
  const link = await withContext(readConfig(process.env), (ctx) =>
    ctx.audited((tx) => createLoginLink(ctx, tx, email)),
  );
  process.stdout.write(
    `Login link for ${escapeLine(email)}. It works once and expires in 15 minutes:\n\n  ${link}\n`,
  );
}
