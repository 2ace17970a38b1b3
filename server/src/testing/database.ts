import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Creates a migrated database, or with `empty` one without tables. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const templateURL = inject("templateURL");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const asAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: templateURL.replace("/template?", "/postgres?") });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await asAdmin(`create database ${name} template ${empty ? "template1" : "template"}`);
  return {
    url: templateURL.replace("/template?", `/${name}?`),
    drop: () => asAdmin(`drop database ${name} with (force)`),
  };
}
