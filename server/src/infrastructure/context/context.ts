/** Creates everything that lives as long as the process. Opens no listening socket. */
import type { Kysely } from "kysely";
import type { DestinationStream, Logger } from "pino";
import { sealAuditLogs } from "../audit-chain/seal.ts";
import { storeAndCommit } from "../audit-chain/store-entries.ts";
import { type Clock, createDatabaseClock } from "../time/clock.ts";
import type { Config } from "../config/config.ts";
import { loadSecretKey } from "../crypto/secret-key.ts";
import { createSecretBox, type SecretBox } from "../crypto/secret-box.ts";
import { audited, type Guard, type Origin, type Outcome } from "../db/audited.ts";
import { type UnauditedWriter, createDatabase, type Reader, type Writer } from "../db/client.ts";
import { type ConnectionPool, createPool, REQUEST_LIMITS } from "../db/pool.ts";
import { monitorSilence, terminateBackend } from "../db/silence-monitor.ts";
import type { Tables } from "../db/tables.ts";
import { type ChangeFeed, createChangeFeed } from "../changes/change-feed.ts";
import { createFairQueue } from "../scheduling/fair-queue.ts";
import { createLog } from "../logging/log.ts";
import { createMailer, type Mailer } from "../mail/mailer.ts";
import { createReporter, type Reporter } from "../logging/reporter.ts";
import { SECOND_MS } from "../time/durations.ts";
import { currentWork, runInTransaction, SYSTEM } from "../scheduling/work-class.ts";

export interface Context {
  config: Config;
  version: string;
  log: Logger;
  report: Reporter;
  /** The database's time. */
  clock: Clock;
  secrets: SecretBox;
  reader: Reader;
  unaudited: UnauditedWriter;
  /** Adds committed audit entries to their chains; returns how many. */
  seal: () => Promise<number>;
  audited: <T>(work: (tx: Writer) => Promise<Outcome<T>>, origin?: Origin) => Promise<T>;
  /** Decide about every audited write before its commit. */
  guards: Guard[];
  changes: ChangeFeed;
  mailer: Mailer;
  pool: Pick<ConnectionPool, "totalCount" | "idleCount" | "waitingCount" | "abandonedCount">;
  dispose: () => Promise<void>;
}

export interface ContextOptions {
  config: Config;
  /** Leads to the database without a connection pooler. */
  connectionString: string;
  version: string;
  clock?: Clock;
  mailer?: Mailer;
  /** Replaces standard output. */
  logTo?: DestinationStream | undefined;
}

async function reportRollback<T>(
  guards: readonly Guard[],
  origin: Origin,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!origin.isRepeated) for (const guard of guards) await guard.afterRollback(error, origin);
    throw error;
  }
}

/** Writers may wait for each other's rows, so some connections stay free for reads, and some slots for other organizations. */
const WRITERS = { slots: 10, share: 8, waitingMax: 1000, waitMs: 30 * SECOND_MS, unlimitedClass: SYSTEM };

export function createContext({
  config,
  connectionString,
  version,
  ...replacements
}: ContextOptions): Context {
  const log = createLog(config, replacements.logTo);
  const report = createReporter(config, version);
  const clock = createDatabaseClock((ms) =>
    log.warn({ seconds: Math.round(ms / 1000) }, "the clock of the database was set"),
  );
  const { changes, notifications } = createChangeFeed({ connectionString, log, onTime: clock.synchronize });
  const isPooled = config.databaseDirectURL !== undefined;
  const pool = createPool({
    connectionString: isPooled ? (config.databaseURL ?? connectionString) : connectionString,
    isPooled,
    limits: REQUEST_LIMITS,
    onError: (error) => log.warn({ err: error }, "a database connection broke"),
    onSilent: (connection) => void terminateBackend(notifications, connection),
  });
  const stopMonitor = monitorSilence(pool, notifications);
  const db: Kysely<Tables> = createDatabase(pool);
  const writers = createFairQueue(WRITERS);
  const guards: Guard[] = [];
  return {
    config,
    version,
    log,
    report,
    clock: replacements.clock ?? clock.now,
    secrets: createSecretBox(loadSecretKey(config)),
    reader: db,
    unaudited: db,
    seal: () => sealAuditLogs(db),
    guards,
    audited: (work, origin = {}) =>
      reportRollback(guards, origin, () =>
        writers.run(currentWork().workClass, () =>
          audited({ db, storeAndCommit, guards }, (tx) => runInTransaction(() => work(tx)), origin),
        ),
      ),
    changes,
    mailer: replacements.mailer ?? createMailer(config, log),
    pool,
    dispose: async () => {
      stopMonitor();
      await Promise.all([changes.close(), db.destroy()]);
    },
  };
}
