/** Asserts in tests that every transaction locks the rows of its tables in one order. */
import type { Tables } from "./tables.ts";

type Table = keyof Tables;

const lockedKeys = new WeakMap<object, Map<Table, Set<string>>>();
const unordered = new WeakSet<object>();
let enforcedOrder: readonly Table[] | undefined;

/** For tests: from now on, a lock in the wrong order throws. */
export function enforceLockOrder(order: readonly Table[]): void {
  enforcedOrder = order;
}

/** For a transaction that gives up before others would have to. */
export function allowAnyLockOrder(tx: object): void {
  unordered.add(tx);
}

function keysOf(tx: object, table: Table): Set<string> {
  const tables = lockedKeys.get(tx) ?? new Map<Table, Set<string>>();
  lockedKeys.set(tx, tables);
  const keys = tables.get(table) ?? new Set();
  tables.set(table, keys);
  return keys;
}

function assertLockOrder(
  order: readonly Table[],
  tx: object,
  table: Table,
  keys: readonly string[] | undefined,
): void {
  if (unordered.has(tx)) return;
  const locked = keysOf(tx, table);
  // Locking a row again that the transaction has already locked never waits.
  if (keys?.every((key) => locked.has(key))) return;
  const later = order.slice(order.indexOf(table) + 1).find((next) => keysOf(tx, next).size > 0);
  if (later) throw new Error(`Lock ${table} before ${later}: see LOCK_ORDER`);
}

/** Call before locking rows; call the result with the keys that were locked. */
export function recordLock(
  tx: object,
  table: Table,
  keys: readonly string[] | undefined,
): (locked: readonly string[]) => void {
  if (!enforcedOrder) return () => undefined;
  assertLockOrder(enforcedOrder, tx, table, keys);
  return (locked) => recordLocked(tx, table, [...(keys ?? []), ...locked]);
}

/** Also for rows that the transaction inserted, which it has locked thereby. */
export function recordLocked(tx: object, table: Table, locked: readonly string[]): void {
  if (!enforcedOrder) return;
  for (const key of locked) keysOf(tx, table).add(key);
}

/** Call at a savepoint; call the result after a rollback to it, which releases the later locks. */
export function markLocks(tx: object, table: Table): () => void {
  const before = [...keysOf(tx, table)];
  return () => {
    keysOf(tx, table).clear();
    recordLocked(tx, table, before);
  };
}
