/** How rows are locked. Only `locks.ts` uses it, so that every lock has a name there. */
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { UnauditedWriter, Writer } from "./client.ts";
import { recordLock } from "./lock-order.ts";
import { NETWORK_COLUMNS } from "./network-tables.ts";
import type { Tables } from "./tables.ts";

/** Transactions lock rows of these tables in this order, so that no two can wait for each other. */
export const LOCK_ORDER = [
  "organizations",
  "users",
  "oidc_providers",
  "oidc_users",
  "api_keys",
  "totp_setups",
  "endpoint_auth_requests",
  "device_requests",
  "tags",
  "roles",
  "routes",
  "networks",
  "certificate_authorities",
  "hosts",
  "jobs",
  "guarantees",
  "notification_channels",
  "notification_rules",
] as const;
type LockedTable = (typeof LOCK_ORDER)[number];

export type Locker = Writer | UnauditedWriter;
export type Strength = "update" | "no key update" | "share" | "key share";
type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
export type Keys = readonly string[];

/** Rows of one table are locked in the order of their keys. */
const KEYS_BESIDE_ID: Partial<Record<LockedTable, string>> = {
  tags: "name",
  totp_setups: "token_hash",
  endpoint_auth_requests: "poll_token_hash",
};
const keyOf = (table: LockedTable) => KEYS_BESIDE_ID[table] ?? "id";

export interface Lock<Table extends LockedTable> {
  table: Table;
  strength: Strength;
  where: RawBuilder<unknown>;
  /** Undefined if they are unknown before the query. */
  keys: Keys | undefined;
  isSkippingLocked?: boolean;
}

/** Every change of a host locks its network. */
const columnsOf = (table: LockedTable) =>
  table === "networks" ? sql.join(NETWORK_COLUMNS.map((column) => sql.ref(column))) : sql`*`;

export async function lockRows<Table extends LockedTable>(
  tx: Locker,
  { table, strength, where, keys, isSkippingLocked = false }: Lock<Table>,
): Promise<Row<Table>[]> {
  if (keys?.length === 0) return [];
  const key = keyOf(table);
  const record = recordLock(tx, table, keys);
  const { rows } = await sql<Row<Table>>`
    select ${columnsOf(table)} from ${sql.table(table)} where ${where} order by ${sql.ref(key)}
      for ${sql.raw(strength)} ${sql.raw(isSkippingLocked ? "skip locked" : "")}`.execute(tx);
  record(rows.map((row) => String((row as Record<string, unknown>)[key])));
  return rows;
}

export const inOrganization = (organizationID: string) => sql`organization_id = ${organizationID}`;

export const byKeys = <Table extends LockedTable>(
  table: Table,
  strength: Strength,
  organizationID: string,
  keys: Keys,
): Lock<Table> => ({
  table,
  strength,
  keys,
  where: sql`${inOrganization(organizationID)} and ${sql.ref(keyOf(table))} = any(${keys}::text[])`,
});

export async function lockOne<Table extends LockedTable>(
  tx: Locker,
  lock: Lock<Table>,
): Promise<Row<Table> | undefined> {
  const [row] = await lockRows(tx, lock);
  return row;
}
