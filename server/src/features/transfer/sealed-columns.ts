/** All columns encrypted with SECRET_KEY, and their re-encryption with a new key. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import type { SecretLocation, SecretBox } from "../../infrastructure/crypto/secret-box.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { listTables, type Table } from "./own-tables.ts";

interface SealedColumn {
  table: keyof Tables;
  column: string;
  /** ID in the location that a value is sealed for. */
  id: RawBuilder<string>;
  /** Table in that location, if it differs. */
  locationTable?: keyof Tables;
}

const sealedColumns: SealedColumn[] = [
  { table: "certificate_authorities", column: "private_key", id: sql`id` },
  { table: "signing_keys", column: "private_key", id: sql`organization_id` },
  { table: "signing_keys", column: "p256_private_key", id: sql`organization_id` },
  { table: "totp_authenticators", column: "secret", id: sql`id` },
  { table: "totp_setups", column: "secret", id: sql`id`, locationTable: "totp_authenticators" },
  { table: "oidc_providers", column: "client_secret", id: sql`id` },
  { table: "notification_channels", column: "url", id: sql`id` },
  { table: "notification_channels", column: "secret", id: sql`id` },
  { table: "notification_channels", column: "previous_secret", id: sql`id` },
  { table: "oidc_requests", column: "trial", id: sql`encode(token_hash, 'hex')` },
];

/** A sealed value starts with its format and the ID of its key. */
const startsWith = (column: string, keyID: string) =>
  sql<boolean>`substring(${sql.ref(column)} from 1 for 5) = ${Buffer.from(`01${keyID}`, "hex")}`;

/** Older databases may not have all columns. */
const listSealedColumns = (tables: Table[]) =>
  sealedColumns.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.some(({ name }) => name === column)),
  );

/** Finds a column with a value that is sealed with none of the keys. */
async function findUnknownKey(
  db: Kysely<Tables>,
  tables: Table[],
  keyIDs: string[],
): Promise<string | undefined> {
  for (const { table, column } of listSealedColumns(tables)) {
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

export async function assertSecretKeyMatches(db: Kysely<Tables>, keyID: string): Promise<void> {
  const columnName = await findUnknownKey(db, await listTables(db), [keyID]);
  if (columnName)
    throw new ConfigError(
      "The database is encrypted with a different SECRET_KEY. Set SECRET_KEY to the key that was used before. " +
        "If rotate-secret was interrupted, run it again.",
    );
}

/** Re-encrypts all values and returns their number. Run it in a transaction. */
export async function reencrypt(db: Kysely<Tables>, from: SecretBox, to: SecretBox): Promise<number> {
  const tables = await listTables(db);
  const columnName = await findUnknownKey(db, tables, [from.keyID, to.keyID]);
  if (columnName) throw new ConfigError(`A value in ${columnName} is encrypted with neither of the two keys`);
  let count = 0;
  for (const sealed of listSealedColumns(tables)) count += await rewrapColumn(db, sealed, from, to);
  await assertNothingLeft(db, tables, from.keyID);
  return count;
}

async function rewrapColumn(
  db: Kysely<Tables>,
  { table, column, id, locationTable = table }: SealedColumn,
  from: SecretBox,
  to: SecretBox,
): Promise<number> {
  // Blocks concurrent inserts.
  await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(db);
  const { rows } = await sql<{ id: string; value: Buffer }>`
    select ${id} as id, ${sql.ref(column)} as value from ${sql.table(table)}
    where ${startsWith(column, from.keyID)}`.execute(db);
  const resealed = rows.map(({ id, value }) => {
    const location: SecretLocation = { table: locationTable, column, id };
    return to.seal(from.open(value, location), location);
  });
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = resealed.value
    from unnest(${rows.map((row) => row.id)}::text[], ${resealed}::bytea[]) resealed (sealed_id, value)
    where ${id} = resealed.sealed_id`.execute(db);
  return rows.length;
}

/** Detects sealed columns that are missing in the list above: their values would be lost. */
async function assertNothingLeft(db: Kysely<Tables>, tables: Table[], keyID: string): Promise<void> {
  for (const { name: table, columns } of tables)
    for (const { name: column, type } of columns) {
      if (type !== "bytea") continue;
      const { rows } = await sql`
        select from ${sql.table(table)} where ${startsWith(column, keyID)} limit 1`.execute(db);
      if (rows.length > 0) throw new Error(`${table}.${column} is sealed but missing in sealed-columns.ts`);
    }
}
