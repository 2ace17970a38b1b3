/** The tables of Lightkeeper: the database may contain others. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { descriptors } from "../../infrastructure/nouns/noun-descriptors.ts";

export const ownTables: readonly string[] = descriptors.flatMap(({ tables }) => tables);
export const ownViews: readonly string[] = descriptors.flatMap(({ views = [] }) => views);

/** Kysely records applied migrations here. */
export const migrationTables = ["kysely_migration", "kysely_migration_lock"] as const;

export interface Column {
  name: string;
  /** SQL type. */
  type: string;
  isIdentity: boolean;
}

export interface Table {
  name: string;
  /** Without generated columns. */
  columns: Column[];
}

/** Returns our tables that exist in the database. */
export async function listTables(db: Kysely<Tables>): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select class.relname as name, json_agg(json_build_object(
        'name', attname, 'type', format_type(atttypid, atttypmod), 'isIdentity', attidentity <> ''
      ) order by attnum) as columns
    from pg_class class join pg_attribute on attrelid = class.oid
    where class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace
      and class.relname = any(${ownTables})
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by 1 order by 1`.execute(db);
  return rows;
}

/** Applied migrations in order; undefined if there are none. */
export async function findMigrations(db: Kysely<Tables>): Promise<string[] | undefined> {
  const { rows: found } = await sql<{ is: boolean }>`
    select to_regclass(current_schema() || '.kysely_migration') is not null as is`.execute(db);
  if (!found[0]?.is) return undefined;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.length > 0 ? rows.map(({ name }) => name) : undefined;
}
