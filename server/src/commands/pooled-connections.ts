/** Rejects connection poolers that Lightkeeper doesn't work with, and says what to do instead. */
import { type Config, ConfigError } from "../infrastructure/config/config.ts";
import { limitSettings, REQUEST_LIMITS } from "../infrastructure/db/pool.ts";
import { isTransactionPooler, readSettings } from "../infrastructure/db/pooler.ts";

/** PgBouncer's response to the limits that Lightkeeper sets for its connections. */
const UNSUPPORTED_PARAMETER = /unsupported startup parameter/;

const directVariable = ({ databaseDirectURL }: Config) =>
  databaseDirectURL ? "DATABASE_DIRECT_URL" : "DATABASE_URL";

function explainPooler(config: Config): ConfigError {
  return new ConfigError(
    config.databaseDirectURL
      ? "DATABASE_DIRECT_URL leads to a connection pooler. It must lead to PostgreSQL directly."
      : "DATABASE_URL leads to a connection pooler, such as PgBouncer in transaction mode. Also set DATABASE_DIRECT_URL to a URL of the same database without the pooler, for LISTEN and migrations.",
  );
}

export function explainConnectionError(config: Config, error: NodeJS.ErrnoException): ConfigError {
  if (UNSUPPORTED_PARAMETER.test(error.message)) return explainPooler(config);
  return new ConfigError(
    `Can’t connect to the database at ${directVariable(config)}: ${error.message || error.code}`,
  );
}

/** The server's limits apply to pooled connections only if the pooler sets them. */
async function assertLimits(databaseURL: string): Promise<void> {
  const expected = Object.entries(limitSettings(REQUEST_LIMITS));
  const names = expected.map(([name]) => name);
  const settings = await readSettings(databaseURL, names).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Can’t connect to the database at DATABASE_URL: ${error.message || error.code}`);
  });
  if (expected.every(([name, value]) => settings[name] === value)) return;
  const statements = expected.map(([name, value]) => `set ${name} = ${value}`).join("; ");
  throw new ConfigError(
    `The connection pooler at DATABASE_URL must set the limits of Lightkeeper. In pgbouncer.ini, add this to the database: connect_query='${statements}'`,
  );
}

export async function assertUsableConnections(config: Config): Promise<void> {
  const { databaseURL, databaseDirectURL } = config;
  if (!databaseURL) return;
  if (await isTransactionPooler(databaseDirectURL ?? databaseURL)) throw explainPooler(config);
  if (databaseDirectURL) await assertLimits(databaseURL);
}
