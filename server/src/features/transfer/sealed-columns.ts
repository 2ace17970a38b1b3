/** Everything that is sealed with SECRET_KEY, and its move from one key to the next. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import type { SecretLocation, SecretBox } from "../../infrastructure/crypto/secret-box.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { listTables, type Table } from "./own-tables.ts";

interface SealedColumn {
  table: keyof Tables;
  column: string;
  /** The id in the place that a value is sealed for. */
  id: RawBuilder<string>;
  /** The table in that place, where it is another. */
  placeTable?: keyof Tables;
}

const sealedColumns: SealedColumn[] = [
  { table: "certificate_authorities", column: "private_key", id: sql`id` },
  { table: "signing_keys", column: "private_key", id: sql`organization_id` },
  { table: "totp_authenticators", column: "secret", id: sql`id` },
  { table: "totp_setups", column: "secret", id: sql`id`, placeTable: "totp_authenticators" },
  { table: "oidc_providers", column: "client_secret", id: sql`id` },
  { table: "oidc_requests", column: "trial", id: sql`encode(token_hash, 'hex')` },
];

/** As a sealed value begins: its format, and which key it takes. */
const startsWith = (column: string, keyID: string) =>
  sql<boolean>`substring(${sql.ref(column)} from 1 for 5) = ${Buffer.from(`01${keyID}`, "hex")}`;

/** Those that the database has by now. */
const knownTo = (tables: Table[]) =>
  sealedColumns.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.some((one) => one.name === column)),
  );

/** The first place where a value is sealed with none of the keys. */
async function findForeign(
  db: Kysely<Tables>,
  tables: Table[],
  keyIDs: string[],
): Promise<string | undefined> {
  for (const { table, column } of knownTo(tables)) {
    const known = sql.join(
      keyIDs.map((keyID) => startsWith(column, keyID)),
      sql` or `,
    );
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.ref(column)} is not null and not (${known}) limit 1
    `.execute(db);
    if (rows.length > 0) return `${table}.${column}`;
  }
  return undefined;
}

/** A server could open nothing of what another key has sealed. */
export async function refuseOtherKey(db: Kysely<Tables>, keyID: string): Promise<void> {
  const foreign = await findForeign(db, await listTables(db), [keyID]);
  if (foreign)
    throw new ConfigError(
      "The database is sealed with another SECRET_KEY than the one in use: bring that one back, or, if " +
        "rotate-secret was broken off, run it again",
    );
}

/** Seals with the second what the first had sealed; how many values. All of it or nothing: run it in a transaction. */
export async function rewrap(db: Kysely<Tables>, from: SecretBox, to: SecretBox): Promise<number> {
  const tables = await listTables(db);
  const foreign = await findForeign(db, tables, [from.keyID, to.keyID]);
  if (foreign) throw new ConfigError(`Something in ${foreign} is sealed with neither of the two keys`);
  let count = 0;
  for (const sealed of knownTo(tables)) count += await rewrapColumn(db, sealed, from, to);
  await refuseLeft(db, tables, from.keyID);
  return count;
}

async function rewrapColumn(
  db: Kysely<Tables>,
  { table, column, id, placeTable = table }: SealedColumn,
  from: SecretBox,
  to: SecretBox,
): Promise<number> {
  // Nobody adds another one meanwhile.
  await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(db);
  const { rows } = await sql<{ id: string; value: Buffer }>`
    select ${id} as id, ${sql.ref(column)} as value from ${sql.table(table)}
    where ${startsWith(column, from.keyID)}`.execute(db);
  const again = rows.map(({ id, value }) => {
    const place: SecretLocation = { table: placeTable, column, id };
    return to.seal(from.open(value, place), place);
  });
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = again.value
    from unnest(${rows.map((row) => row.id)}::text[], ${again}::bytea[]) again (sealed_id, value)
    where ${id} = again.sealed_id`.execute(db);
  return rows.length;
}

/** Whoever seals something new and does not say so here would lose it. */
async function refuseLeft(db: Kysely<Tables>, tables: Table[], keyID: string): Promise<void> {
  for (const { name: table, columns } of tables)
    for (const { name: column, type } of columns) {
      if (type !== "bytea") continue;
      const { rows } = await sql`
        select from ${sql.table(table)} where ${startsWith(column, keyID)} limit 1`.execute(db);
      if (rows.length > 0)
        throw new Error(`${table}.${column} is sealed, and sealed-columns.ts does not know it`);
    }
}
