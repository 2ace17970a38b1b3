import { escapeLine } from "@lightkeeper/contract/characters";
import { ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { createContext } from "../infrastructure/context/context.ts";
import { setFeatureFlag } from "../nouns/organizations/organizations.service.ts";
import { version } from "../infrastructure/config/version.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

export async function flagCommand(args: string[], usage: string): Promise<void> {
  const [organizationID = "", name = "", value] = readArguments(args, usage).operands;
  if (value !== "true" && value !== "false") throw new ConfigError("VALUE must be true or false");
  const config = readConfig(process.env);
  const database = await openDatabase(config, () => undefined);
  const ctx = createContext({ config, connectionString: database.connectionString, version });
  try {
    const organization = ctx.reader.selectFrom("organizations").select("id").where("id", "=", organizationID);
    if (!(await organization.executeTakeFirst()))
      throw new ConfigError(`Organization ${organizationID} does not exist`);
    await ctx.audited((tx) => setFeatureFlag(tx, { organizationID, name, value: value === "true" }));
    process.stdout.write(`${escapeLine(name)} is ${value} for ${organizationID}\n`);
  } finally {
    await ctx.dispose();
    await database.stop();
  }
}
