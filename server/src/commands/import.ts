import { open } from "node:fs/promises";
import { escapeLine } from "@lightkeeper/contract/characters";
import { ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { createSecretBox } from "../infrastructure/crypto/secret-box.ts";
import { loadSecretKey } from "../infrastructure/crypto/secret-key.ts";
import { importFrom } from "../features/transfer/import.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database.ts";

export async function importCommand(args: string[], usage: string): Promise<void> {
  const { operands, flags } = readArguments(args, usage, ["replace", "allow-older"]);
  const [path = ""] = operands;
  const config = readConfig(process.env);
  const { keyID } = createSecretBox(loadSecretKey(config));
  const options = { keyID, replace: flags.replace, allowOlder: flags["allow-older"] };
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Can’t read ${path}: ${error.code}`);
  });
  try {
    const { rows, header, migrated } = await withDatabase(config, (db) =>
      importFrom(db, file.createReadStream(), options),
    );
    const steps = migrated.length > 0 ? `, migrated from ${escapeLine(header.migration)}` : "";
    process.stdout.write(
      `Imported ${rows} rows from the export of ${escapeLine(header.exportedAt)}${steps}.\n`,
    );
  } finally {
    await file.close();
  }
}
