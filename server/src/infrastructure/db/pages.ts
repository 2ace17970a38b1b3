/** Keyset pagination in both directions. A cursor contains the keys of a row and the number of rows before it. */
import { type ListMetadata, PAGE_SIZE, PAGE_SIZE_MAX } from "@lightkeeper/contract";
import { parseIp } from "@lightkeeper/nebula";
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
  /** Columns that are unique together, most significant first; qualified by their table in a join. */
  keys: { column: string; kind: KeyKind; of: (row: Row) => string }[];
  descending?: boolean;
}

/** The default order of a list. */
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

/** With `capped`, there are more than `count`. */
export interface Count {
  count: number;
  capped: boolean;
}

/** Counts up to `max`, because counting many rows takes longer than reading a page of them. */
export async function countUpTo<Table extends keyof Tables, Row>(
  db: Reader,
  query: SelectQueryBuilder<Tables, Table, Row>,
  max: number,
): Promise<Count> {
  const { count } = await db
    .selectFrom(query.limit(max + 1).as("matching"))
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return capCount(count, max);
}

/** The count of up to `max` + 1 rows. */
export const capCount = (count: number, max: number): Count => ({
  count: Math.min(count, max),
  capped: count > max,
});

interface Cursor {
  direction: "next" | "prev";
  start: number;
  values: string[];
}

const base64 = (text: string) => Buffer.from(text).toString("base64url");

function encodeCursor({ direction, start, values }: Cursor): string {
  return `${base64(direction)}.${base64(JSON.stringify([start, ...values]))}`;
}

const INSTANT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;

/** Excludes dates that don't exist: JavaScript reads February 30 as March 2, PostgreSQL rejects it. */
function isInstant(text: string): boolean {
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) return false;
  return new Date(text).toISOString().slice(0, 23) === text.slice(0, 23);
}

/** PostgreSQL's lowest timestamp, stored for events that never happened. */
const NEVER = "-infinity";

const isKeyOfKind: Record<KeyKind, (value: unknown) => value is string> = {
  instant: (value): value is string => typeof value === "string" && (value === NEVER || isInstant(value)),
  address: (value): value is string => typeof value === "string" && parseIp(value) !== undefined,
  number: (value): value is string => typeof value === "string" && /^-?\d{1,9}$/.test(value),
  text: (value): value is string => typeof value === "string" && !value.includes("\0"),
};

function decodeCursor(text: string, kinds: KeyKind[]): Cursor {
  const invalidCursor = new ApiError("ERR_INVALID_VALUE", {
    path: "cursor",
    message: "not a cursor of this list",
  });
  const [encodedDirection = "", payload = ""] = text.split(".");
  const direction = Buffer.from(encodedDirection, "base64url").toString();
  if (direction !== "next" && direction !== "prev") throw invalidCursor;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    throw invalidCursor;
  }
  if (!Array.isArray(parsed) || parsed.length !== kinds.length + 1) throw invalidCursor;
  const [start, ...values] = parsed as unknown[];
  if (!Number.isSafeInteger(start) || (start as number) < 0) throw invalidCursor;
  if (!kinds.every((kind, index) => isKeyOfKind[kind](values[index]))) throw invalidCursor;
  return { direction, start: start as number, values: values as string[] };
}

/** The sizes that the console offers, and the largest, each with the row that shows whether there are more. */
const COMMON_LIMITS = new Set([PAGE_SIZE, 50, 100, PAGE_SIZE_MAX].map((size) => size + 1));

/** Common limits are part of the SQL: PostgreSQL plans a query on every run if its limit is a parameter. */
export const isCommonLimit = (limit: number): boolean => COMMON_LIMITS.has(limit);

/** The part of a sorted list that is read. */
export interface Bounds {
  isDescending: boolean;
  limit: number;
  /** The keys of the row before, most significant first; none for the first page. */
  after: readonly string[];
}

export function withinBounds<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { keys }: Order<Row>,
  { isDescending, limit, after }: Bounds,
): SelectQueryBuilder<Tables, Table, Row> {
  let bounded = query.limit(isCommonLimit(limit) ? sql.lit(limit) : sql.val(limit));
  for (const { column } of keys) bounded = bounded.orderBy(sql.ref(column), isDescending ? "desc" : "asc");
  if (after.length === 0) return bounded;
  const columns = sql.join(keys.map(({ column }) => sql.ref(column)));
  const comparison = sql.raw(isDescending ? "<" : ">");
  return bounded.where(sql<boolean>`(${columns}) ${comparison} (${sql.join(after)})`);
}

/** Gets the rows of the page, which may contain the count. */
type CountOfPage<Row> = (found: Promise<Row[]>) => Promise<number | Count>;

export function page<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: Order<Row>,
  request: PageRequest,
  count: CountOfPage<Row>,
): Promise<Page<Row>> {
  return findPage((bounds) => withinBounds(query, order, bounds).execute(), order, request, count);
}

export async function findPage<Row>(
  find: (bounds: Bounds) => Promise<Row[]>,
  order: Order<Row>,
  request: PageRequest,
  count: CountOfPage<Row>,
): Promise<Page<Row>> {
  const kinds = order.keys.map(({ kind }) => kind);
  const cursor = request.cursor ? decodeCursor(request.cursor, kinds) : undefined;
  const isBackward = cursor?.direction === "prev";
  const isDescending = Boolean(order.descending) !== isBackward;
  const finding = find({ isDescending, limit: request.pageSize + 1, after: cursor?.values ?? [] });
  const [found, counted] = await Promise.all([finding, request.includeCounts ? count(finding) : undefined]);
  const hasMore = found.length > request.pageSize;
  const rows = found.slice(0, request.pageSize);
  if (isBackward) rows.reverse();
  const start = startOf(cursor, rows.length, hasMore);
  return { rows, metadata: describe({ rows, start, hasMore, cursor, order, counted }) };
}

/** A page of a list that is sorted in memory, because its order depends on computed values. */
export function pageSorted<Row>(
  sorted: readonly Row[],
  order: Omit<Order<Row>, "descending">,
  request: PageRequest,
): Page<Row> {
  const kinds = order.keys.map(({ kind }) => kind);
  const cursor = request.cursor ? decodeCursor(request.cursor, kinds) : undefined;
  const isBackward = cursor?.direction === "prev";
  const rest = cursor ? sorted.filter((row) => isBeyond(order, row, cursor)) : sorted;
  const rows = isBackward ? rest.slice(-request.pageSize) : rest.slice(0, request.pageSize);
  const hasMore = rest.length > rows.length;
  const start = startOf(cursor, rows.length, hasMore);
  const counted = request.includeCounts ? sorted.length : undefined;
  return { rows, metadata: describe({ rows, start, hasMore, cursor, order, counted }) };
}

/** Whether the row is after the cursor, or before it if the cursor leads back. Keys are compared as texts. */
function isBeyond<Row>({ keys }: Order<Row>, row: Row, { direction, values }: Cursor): boolean {
  const index = keys.findIndex(({ of }, position) => of(row) !== values[position]);
  if (index === -1) return false;
  const isAfter = keys[index]!.of(row) > values[index]!;
  return isAfter === (direction === "next");
}

/** The number of rows before the page. */
function startOf(cursor: Cursor | undefined, rowCount: number, hasMore: boolean): number {
  if (cursor?.direction !== "prev") return cursor?.start ?? 0;
  return hasMore ? Math.max(0, cursor.start - rowCount) : 0;
}

interface Description<Row> {
  rows: Row[];
  start: number;
  hasMore: boolean;
  cursor: Cursor | undefined;
  order: Order<Row>;
  counted: number | Count | undefined;
}

function describe<Row>({ rows, start, hasMore, cursor, order, counted }: Description<Row>): ListMetadata {
  const isBackward = cursor?.direction === "prev";
  const { count, capped } = typeof counted === "object" ? counted : { count: counted, capped: false };
  const valuesOf = (row: Row) => order.keys.map(({ of }) => of(row));
  const [first] = rows;
  const last = rows.at(-1);
  return {
    hasNextPage: isBackward ? true : hasMore,
    hasPrevPage: isBackward ? hasMore : cursor !== undefined,
    ...(last && {
      nextCursor: encodeCursor({ direction: "next", start: start + rows.length, values: valuesOf(last) }),
    }),
    ...(first && { prevCursor: encodeCursor({ direction: "prev", start, values: valuesOf(first) }) }),
    ...(count !== undefined && { totalCount: count, page: { start, count: rows.length } }),
    ...(capped && { totalCountCapped: true as const }),
  };
}
