/** A server to fuzz, with its database and log. */
import { startTestServer, type TestServer } from "../server.ts";
import { connect, type SnapshotDatabase, type DatabaseState, EMPTY_TABLE } from "./database-snapshot.ts";
import { createSender, type Sender } from "./raw-sender.ts";

export interface FuzzFixture {
  server: TestServer;
  database: SnapshotDatabase;
  sender: Sender;
  /** Reads the database after all background work is finished. */
  observe: () => Promise<DatabaseState>;
  /** Waits for notifications, whose locks don't have the order in which all data is deleted. */
  finishNotifications: () => Promise<void>;
  /** Returns and clears the logged warnings and errors. */
  takeLoggedProblems: () => string[];
  close: () => Promise<void>;
}

/** Tables with background work. */
const queues = ["mail_jobs", "job_items"];

/** Errors that consoles report, which any client may send. */
const CONSOLE_ERROR = '"msg":"console error"';

export async function createFuzzFixture(): Promise<FuzzFixture> {
  let lines: string[] = [];
  const logTo = { write: (line: string) => void (line.includes(CONSOLE_ERROR) || lines.push(line)) };
  const server = await startTestServer({ environment: { LOG_LEVEL: "warn" }, logTo });
  const database = await connect(server.database);
  const sender = createSender(server.url);
  const { outbox, jobs, presence, notifier, deliveries } = server.app;
  /** The notifier wakes the worker that sends deliveries, and only a delivery wakes the notifier. */
  const settleNotifications = async () => {
    for (const worker of [deliveries, notifier, deliveries, notifier]) await worker.settle();
  };
  return {
    server,
    database,
    sender,
    observe: async () => {
      await presence.drain();
      await settleNotifications();
      const state = await database.read();
      if (queues.every((table) => state.get(table) === EMPTY_TABLE)) return state;
      await Promise.all([outbox.drain(), jobs.drain()]);
      return database.read();
    },
    finishNotifications: async () => {
      await notifier.drain();
      await settleNotifications();
    },
    takeLoggedProblems: () => {
      const logged = lines;
      lines = [];
      return logged;
    },
    close: async () => {
      sender.close();
      await database.close();
      await server.close();
    },
  };
}
