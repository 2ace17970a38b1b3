import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

export async function withClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates a migrated database, or with `empty` one without tables. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const templateURL = inject("templateURL");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const asAdmin = (statement: string) =>
    withClient(templateURL.replace("/template?", "/postgres?"), async (client) => {
      await client.query(statement);
    });
  // Copying files takes half the time of the default, which also logs every page.
  await asAdmin(`create database ${name} template ${empty ? "template1" : "template"} strategy file_copy`);
  return {
    url: templateURL.replace("/template?", `/${name}?`),
    drop: () => asAdmin(`drop database ${name} with (force)`),
  };
}
