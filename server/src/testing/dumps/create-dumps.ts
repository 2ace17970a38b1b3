/** Creates the dumps that are missing, as `npm run dump` does. */
import { migrate } from "../../infrastructure/db/migrate.ts";
import { migrations } from "../../infrastructure/db/migration-list.ts";
import { describeSchema } from "../describe-schema.ts";
import { readContents, withConnection } from "../transfer-fixtures.ts";
import { countRows, dumpDatabase } from "./dump-database.ts";
import {
  type Dump,
  type DumpFacts,
  listDumpedStates,
  readDump,
  restoreDump,
  writeDump,
} from "./dump-files.ts";
import { withFilledDatabase } from "./filled-database.ts";

async function assertRestores(dump: Dump, url: string): Promise<void> {
  const restored = await restoreDump(dump);
  try {
    const [expected, actual] = [await describeDatabase(url), await describeDatabase(restored.url)];
    if (actual !== expected) throw new Error(`The dump of ${dump.state} doesn't restore what was dumped`);
  } finally {
    await restored.drop();
  }
}

const describeDatabase = async (url: string) =>
  `${await describeSchema(url)}\n${JSON.stringify(await readContents(url))}`;

async function createDump(state: string, url: string, facts: Omit<DumpFacts, "counts">): Promise<void> {
  const dump = { state, facts: { ...facts, counts: await countRows(url) }, sql: await dumpDatabase(url) };
  await assertRestores(dump, url);
  writeDump(dump);
}

/** The API of an earlier state is gone, so its dump is the one before it, migrated. */
async function migrateDump(from: string, state: string): Promise<void> {
  const dump = readDump(from);
  const database = await restoreDump(dump);
  try {
    await withConnection(database.url, (db) => migrate(db, { through: state }));
    await createDump(state, database.url, { ...dump.facts, migratedFrom: dump.facts.migratedFrom ?? from });
  } finally {
    await database.drop();
  }
}

function assertFilled(counts: Record<string, number>): void {
  const empty = Object.keys(counts).filter((table) => counts[table] === 0);
  if (empty.length > 0) throw new Error(`filled-database.ts adds no rows to ${empty.join(", ")}`);
}

export async function createMissingDumps(): Promise<void> {
  const states = Object.keys(migrations);
  const newest = states.at(-1);
  let previous: string | undefined;
  for (const state of states) {
    if (!listDumpedStates().includes(state)) {
      if (state === newest)
        await withFilledDatabase(async (url, facts) => {
          assertFilled(await countRows(url));
          await createDump(state, url, facts);
        });
      else if (previous) await migrateDump(previous, state);
    }
    previous = state;
  }
}
