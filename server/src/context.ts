/** Everything long-lived, built in one place and taken down in reverse. Opens no socket. */
import type { Kysely } from "kysely";
import type { DestinationStream, Logger } from "pino";
import type pg from "pg";
import { sealAuditLogs } from "./audit/seal.ts";
import type { Config } from "./config.ts";
import { loadSecretKey } from "./crypto/secret-key.ts";
import { createSecretBox, type SecretBox } from "./crypto/secret-box.ts";
import { audited, type Origin, type Outcome } from "./db/audited.ts";
import { type Bookkeeper, createDatabase, createPool, type Reader, type Writer } from "./db/client.ts";
import type { Tables } from "./db/tables.ts";
import { type ChangeFeed, createChangeFeed } from "./live/change-feed.ts";
import { createGate } from "./gate.ts";
import { createLog } from "./log.ts";
import { createMailer, type Mailer } from "./mail/mailer.ts";
import { createReporter, type Reporter } from "./report.ts";

export interface Context {
  config: Config;
  version: string;
  log: Logger;
  report: Reporter;
  clock: () => Date;
  secrets: SecretBox;
  reader: Reader;
  bookkeeper: Bookkeeper;
  /** Seals committed audit entries into their chains; how many. */
  seal: () => Promise<number>;
  audited: <T>(work: (tx: Writer) => Promise<Outcome<T>>, origin?: Origin) => Promise<T>;
  changes: ChangeFeed;
  mailer: Mailer;
  pool: Pick<pg.Pool, "totalCount" | "idleCount" | "waitingCount">;
  dispose: () => Promise<void>;
}

export interface ContextOptions {
  config: Config;
  connectionString: string;
  version: string;
  clock?: () => Date;
  mailer?: Mailer;
  /** Where the log goes instead of standard output. */
  logTo?: DestinationStream | undefined;
}

/** Writers may wait for one another's rows; as they do, connections are left for those who only read. */
const WRITERS_MAX = 10;

export function createContext({ config, connectionString, version, ...edges }: ContextOptions): Context {
  const log = createLog(config, edges.logTo);
  const report = createReporter(config, version);
  const pool = createPool(connectionString, (error) =>
    log.warn({ err: error }, "a database connection broke"),
  );
  const db: Kysely<Tables> = createDatabase(pool);
  const changes = createChangeFeed(connectionString, log);
  const writing = createGate(WRITERS_MAX);
  return {
    config,
    version,
    log,
    report,
    clock: edges.clock ?? (() => new Date()),
    secrets: createSecretBox(loadSecretKey(config)),
    reader: db,
    bookkeeper: db,
    seal: () => sealAuditLogs(db),
    audited: (work, origin) => writing(() => audited(db, work, origin)),
    changes,
    mailer: edges.mailer ?? createMailer(config, log),
    pool,
    dispose: async () => {
      await changes.close();
      await db.destroy();
    },
  };
}
