import { escapeLine } from "@lightkeeper/contract/characters";
import { ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { setFeatureFlag } from "../nouns/organizations/organizations.service.ts";
import { readArguments } from "./arguments.ts";
import { withContext } from "./database.ts";

export async function flagCommand(args: string[], usage: string): Promise<void> {
  const [organizationID = "", name = "", value] = readArguments(args, usage).operands;
  if (value !== "true" && value !== "false") throw new ConfigError("VALUE must be true or false");
  await withContext(readConfig(process.env), async (ctx) => {
    const organization = ctx.reader.selectFrom("organizations").select("id").where("id", "=", organizationID);
    if (!(await organization.executeTakeFirst()))
      throw new ConfigError(`Organization ${organizationID} does not exist`);
    await ctx.audited((tx) => setFeatureFlag(tx, { organizationID, name, value: value === "true" }));
  });
  process.stdout.write(`${escapeLine(name)} is ${value} for ${organizationID}\n`);
}
