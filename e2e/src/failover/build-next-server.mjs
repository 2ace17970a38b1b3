/** Builds the server as a later version with one more migration: node build-next-server.mjs FOLDER. */
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { serverBuild } from "../../../scripts/build.mjs";

const MIGRATION = `
import { sql } from "kysely";
migrations["9999_next_version"] = {
  up: async (db) => {
    await sql\`alter table hosts add column added_by_next_version text not null default 'new'\`.execute(db);
    await sql\`create index hosts_added_by_next_version on hosts (added_by_next_version)\`.execute(db);
  },
};
`;

const addMigration = {
  name: "add-migration",
  setup({ onLoad }) {
    onLoad({ filter: /\/db\/migration-list\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8") + MIGRATION,
      loader: "ts",
    }));
  },
};

await build({ ...serverBuild("next"), outdir: process.argv[2], plugins: [addMigration] });
