/** A server to be fuzzed, and everything that watches it. */
import { startTestServer, type TestServer } from "../testing/server.ts";
import { connect, type Database } from "./database.ts";
import { createSender, type Sender } from "./send.ts";

export interface Laboratory {
  server: TestServer;
  database: Database;
  sender: Sender;
  /** Resolves when what requests have set off behind their answers has come to an end. */
  settle: () => Promise<void>;
  /** What the log has complained of since it was last asked. */
  complaints: () => string[];
  close: () => Promise<void>;
}

/** Errors of a console, which anybody may report. */
const REPORTED = '"msg":"error in the console"';

export async function openLaboratory(): Promise<Laboratory> {
  let lines: string[] = [];
  const logTo = { write: (line: string) => void (line.includes(REPORTED) || lines.push(line)) };
  const server = await startTestServer({ environment: { LOG_LEVEL: "warn" }, logTo });
  const database = await connect(server.database);
  const sender = createSender(server.url);
  const { outbox, jobs } = server.app;
  return {
    server,
    database,
    sender,
    settle: async () => void (await Promise.all([outbox.drain(), jobs.drain()])),
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
