/** The dumps in infrastructure/db/testing: one file per migration state, whose first line describes its contents. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { createTestDatabase, type TestDatabase, withClient } from "../database.ts";
import type { State } from "../test-agent.ts";

const DIRECTORY = join(import.meta.dirname, "../../infrastructure/db/testing");
const SUFFIX = ".sql.gz";

/** The key that seals the secrets in every dump. */
export const DUMP_SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

export type StoredAgent = Omit<State, "hostKey"> & { hostKey: { privatePem: string; publicPem: string } };

/** What a server has to return for the data of a dump. Dumps of earlier states contain less. */
export interface DumpFacts {
  at: string;
  /** The state whose dump was migrated to this one; without it, the API of the state filled the database. */
  migratedFrom?: string;
  organizationID: string;
  email: string;
  userToken: string;
  authToken: string;
  counts: Record<string, number>;
  networkID: string;
  apiKey?: { token: string };
  roleID?: string;
  hostID?: string;
  networkNames?: string[];
  hostNames?: string[];
  routeID?: string;
  agent?: StoredAgent;
  memberEmails?: string[];
  ssoToken?: string;
  domains?: string[];
}

export interface Dump {
  state: string;
  facts: DumpFacts;
  sql: string;
}

export const listDumpedStates = (): string[] =>
  readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();

export function readDump(state: string): Dump {
  const sql = gunzipSync(readFileSync(join(DIRECTORY, `${state}${SUFFIX}`))).toString("utf8");
  const [firstLine = ""] = sql.split("\n", 1);
  return { state, facts: JSON.parse(firstLine.slice("-- ".length)) as DumpFacts, sql };
}

export function writeDump({ state, facts, sql }: Dump): void {
  const text = `-- ${JSON.stringify(facts)}\n\n${sql}`;
  writeFileSync(join(DIRECTORY, `${state}${SUFFIX}`), gzipSync(text, { level: 9 }));
}

export async function restoreDump({ sql }: Pick<Dump, "sql">): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  await withClient(database.url, (client) => client.query(sql));
  return database;
}
