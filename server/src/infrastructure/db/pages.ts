/** Keyset pages, both ways. A cursor holds the place it points to and how many rows lie before it. */
import type { ListMetadata } from "@lightkeeper/contract";
import { parseIpv4 } from "@lightkeeper/nebula";
import { type SelectQueryBuilder, sql } from "kysely";
import { ApiError } from "../errors/api-error.ts";
import type { Reader } from "./client.ts";
import type { Tables } from "./tables.ts";

export interface PageRequest {
  cursor?: string | undefined;
  pageSize: number;
  includeCounts?: boolean;
}

export interface Page<Row> {
  rows: Row[];
  metadata: ListMetadata;
}

type KeyKind = "instant" | "text" | "address" | "number";

export interface Order<Row> {
  /** Columns, with their table where several are joined, that together are unique; most significant first. */
  keys: { column: string; kind: KeyKind; of: (row: Row) => string }[];
  descending?: boolean;
}

/** The order of a list that names none. */
export const oldestFirst = <Row extends { created_at: Date; id: string }>(): Order<Row> => ({
  keys: [
    { column: "created_at", kind: "instant", of: (row) => row.created_at.toISOString() },
    { column: "id", kind: "text", of: (row) => row.id },
  ],
});

export async function countRows<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<number> {
  const counted = query.clearSelect().select(sql<number>`count(*)`.as("count"));
  const { count } = await counted.executeTakeFirstOrThrow();
  return count;
}

/** How many there are; `capped`: and more. */
export interface Count {
  count: number;
  capped: boolean;
}

/** Counts no further than `max`: counting many rows takes longer than reading a page of them. */
export async function countUpTo<Table extends keyof Tables, Row>(
  db: Reader,
  query: SelectQueryBuilder<Tables, Table, Row>,
  max: number,
): Promise<Count> {
  const { count } = await db
    .selectFrom(query.limit(max + 1).as("matching"))
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return { count: Math.min(count, max), capped: count > max };
}

interface Cursor {
  towards: "next" | "prev";
  start: number;
  values: string[];
}

const base64 = (text: string) => Buffer.from(text).toString("base64url");

function encodeCursor({ towards, start, values }: Cursor): string {
  return `${base64(towards)}.${base64(JSON.stringify([start, ...values]))}`;
}

const INSTANT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;

/** A moment that was: JavaScript takes February 30th for March 2nd, PostgreSQL refuses it. */
function isInstant(text: string): boolean {
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) return false;
  return new Date(text).toISOString().slice(0, 23) === text.slice(0, 23);
}

/** Before every other moment: what never happened. */
const NEVER = "-infinity";

const fits: Record<KeyKind, (value: unknown) => value is string> = {
  instant: (value): value is string => typeof value === "string" && (value === NEVER || isInstant(value)),
  address: (value): value is string => typeof value === "string" && parseIpv4(value) !== undefined,
  number: (value): value is string => typeof value === "string" && /^-?\d{1,9}$/.test(value),
  text: (value): value is string => typeof value === "string" && !value.includes("\0"),
};

function decodeCursor(text: string, kinds: KeyKind[]): Cursor {
  const refusal = new ApiError("ERR_INVALID_VALUE", { path: "cursor", message: "not a cursor of this list" });
  const [direction = "", payload = ""] = text.split(".");
  const towards = Buffer.from(direction, "base64url").toString();
  if (towards !== "next" && towards !== "prev") throw refusal;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parsed) || parsed.length !== kinds.length + 1) throw refusal;
  const [start, ...values] = parsed as unknown[];
  if (!Number.isSafeInteger(start) || (start as number) < 0) throw refusal;
  if (!kinds.every((kind, index) => fits[kind](values[index]))) throw refusal;
  return { towards, start: start as number, values: values as string[] };
}

export async function page<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: Order<Row>,
  request: PageRequest,
  count: () => Promise<number | Count>,
): Promise<Page<Row>> {
  const kinds = order.keys.map(({ kind }) => kind);
  const cursor = request.cursor ? decodeCursor(request.cursor, kinds) : undefined;
  const backwards = cursor?.towards === "prev";
  const descending = Boolean(order.descending) !== backwards;
  let keyed = query.limit(request.pageSize + 1);
  for (const { column } of order.keys) keyed = keyed.orderBy(sql.ref(column), descending ? "desc" : "asc");
  if (cursor) {
    const place = sql.join(order.keys.map(({ column }) => sql.ref(column)));
    const comparison = sql.raw(descending ? "<" : ">");
    keyed = keyed.where(sql<boolean>`(${place}) ${comparison} (${sql.join(cursor.values)})`);
  }
  const [found, counted] = await Promise.all([keyed.execute(), request.includeCounts ? count() : undefined]);
  const more = found.length > request.pageSize;
  const rows = found.slice(0, request.pageSize);
  if (backwards) rows.reverse();
  const start =
    cursor === undefined
      ? 0
      : backwards
        ? more
          ? Math.max(0, cursor.start - rows.length)
          : 0
        : cursor.start;
  return { rows, metadata: describe({ rows, start, more, cursor, order, counted }) };
}

interface Description<Row> {
  rows: Row[];
  start: number;
  more: boolean;
  cursor: Cursor | undefined;
  order: Order<Row>;
  counted: number | Count | undefined;
}

function describe<Row>({ rows, start, more, cursor, order, counted }: Description<Row>): ListMetadata {
  const backwards = cursor?.towards === "prev";
  const { count, capped } = typeof counted === "object" ? counted : { count: counted, capped: false };
  const valuesOf = (row: Row) => order.keys.map(({ of }) => of(row));
  const [first] = rows;
  const last = rows.at(-1);
  return {
    hasNextPage: backwards ? true : more,
    hasPrevPage: backwards ? more : cursor !== undefined,
    ...(last && {
      nextCursor: encodeCursor({ towards: "next", start: start + rows.length, values: valuesOf(last) }),
    }),
    ...(first && { prevCursor: encodeCursor({ towards: "prev", start, values: valuesOf(first) }) }),
    ...(count !== undefined && { totalCount: count, page: { start, count: rows.length } }),
    ...(capped && { totalCountCapped: true as const }),
  };
}
