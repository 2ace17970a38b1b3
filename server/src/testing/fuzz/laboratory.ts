/** A server to be fuzzed, and everything that watches it. */
import { startTestServer, type TestServer } from "../server.ts";
import { connect, type Database, type DatabaseState, NOTHING } from "./database.ts";
import { createSender, type Sender } from "./send.ts";

export interface Laboratory {
  server: TestServer;
  database: Database;
  sender: Sender;
  /** What the database holds when all that requests have set off behind their answers has come to an end. */
  observe: () => Promise<DatabaseState>;
  /** What the log has complained of since it was last asked. */
  complaints: () => string[];
  close: () => Promise<void>;
}

/** Where that waits which is done behind an answer. */
const queues = ["mail_jobs", "job_items"];

/** Errors of a console, which anybody may report. */
const REPORTED = '"msg":"error in the console"';

export async function openLaboratory(): Promise<Laboratory> {
  let lines: string[] = [];
  const logTo = { write: (line: string) => void (line.includes(REPORTED) || lines.push(line)) };
  const server = await startTestServer({ environment: { LOG_LEVEL: "warn" }, logTo });
  const database = await connect(server.database);
  const sender = createSender(server.url);
  const { outbox, jobs, presence } = server.app;
  return {
    server,
    database,
    sender,
    observe: async () => {
      await presence.drain();
      const state = await database.read();
      if (queues.every((table) => state.get(table) === NOTHING)) return state;
      await Promise.all([outbox.drain(), jobs.drain()]);
      return database.read();
    },
    complaints: () => {
      const said = lines;
      lines = [];
      return said;
    },
    close: async () => {
      sender.close();
      await database.close();
      await server.close();
    },
  };
}
