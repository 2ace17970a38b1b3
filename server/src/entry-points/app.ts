/** The server as a library, for programs that run it in their own process. */
import { createDatabase } from "../infrastructure/db/client.ts";
import { migrate } from "../infrastructure/db/migrate.ts";
import { COMMAND_LIMITS, createPool } from "../infrastructure/db/pool.ts";

export { createApp } from "../app/app.ts";
export { type Prepared, serve } from "../commands/serve.ts";
export { recordAcknowledgments } from "../nouns/hosts/host-blocks.service.ts";
export { sweepPresence } from "../nouns/hosts/host-presence.service.ts";
export { type Config, ConfigError, readConfig } from "../infrastructure/config/config.ts";
export { releaseOf, version } from "../infrastructure/config/version.ts";
export { type Context, createContext } from "../infrastructure/context/context.ts";
export { isLoopback } from "../infrastructure/config/loopback.ts";

export async function migrateDatabase(connectionString: string): Promise<void> {
  const pool = createPool({ connectionString, limits: COMMAND_LIMITS, onError: () => undefined });
  const db = createDatabase(pool);
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
