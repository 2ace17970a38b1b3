import { readConfig } from "../config.ts";
import { openDatabase } from "./database.ts";

export async function migrateCommand(): Promise<void> {
  const database = await openDatabase(readConfig(process.env), (message, details) =>
    process.stdout.write(`${message} ${JSON.stringify(details ?? {})}\n`),
  );
  await database.stop();
}
