import { ConfigError, readConfig } from "../config.ts";
import { createContext } from "../context.ts";
import { setFeatureFlag } from "../organizations/organizations.service.ts";
import { version } from "../version.ts";
import { openDatabase } from "./database.ts";

/** flag ORG NAME true|false */
export async function flagCommand([organizationID, name, value]: string[]): Promise<void> {
  if (!organizationID || !name || (value !== "true" && value !== "false"))
    throw new ConfigError("Usage: flag ORGANIZATION_ID NAME true|false");
  const config = readConfig(process.env);
  const database = await openDatabase(config, () => undefined);
  const ctx = createContext({ config, connectionString: database.connectionString, version });
  try {
    await ctx.audited((tx) => setFeatureFlag(tx, { organizationID, name, value: value === "true" }));
    process.stdout.write(`${name} is ${value} for ${organizationID}\n`);
  } finally {
    await ctx.dispose();
    await database.stop();
  }
}
