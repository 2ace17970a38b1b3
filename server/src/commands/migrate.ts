import { readConfig } from "../infrastructure/config/config.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

export async function migrateCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const database = await openDatabase(readConfig(process.env), (message, details) =>
    process.stdout.write(`${message} ${JSON.stringify(details ?? {})}\n`),
  );
  await database.stop();
}
