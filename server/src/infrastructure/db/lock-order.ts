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
] as const;
export type LockedTable = (typeof LOCK_ORDER)[number];

const lockedKeys = new WeakMap<object, Map<LockedTable, Set<string>>>();
let isEnforced = false;

/** For tests: from now on, a lock in the wrong order throws. */
export function enforceLockOrder(): void {
  isEnforced = true;
}

function keysOf(tx: object, table: LockedTable): Set<string> {
  const tables = lockedKeys.get(tx) ?? new Map<LockedTable, Set<string>>();
  lockedKeys.set(tx, tables);
  const keys = tables.get(table) ?? new Set();
  tables.set(table, keys);
  return keys;
}

function assertLockOrder(tx: object, table: LockedTable, keys: readonly string[] | undefined): void {
  const locked = keysOf(tx, table);
  // Locking a row again that the transaction has already locked never waits.
  if (keys?.every((key) => locked.has(key))) return;
  const later = LOCK_ORDER.slice(LOCK_ORDER.indexOf(table) + 1).find((next) => keysOf(tx, next).size > 0);
  if (later) throw new Error(`Lock ${table} before ${later}: see LOCK_ORDER`);
}

/** Call before the rows are locked; call the result with the keys that were. */
export function recordLock(
  tx: object,
  table: LockedTable,
  keys: readonly string[] | undefined,
): (locked: readonly string[]) => void {
  if (!isEnforced) return () => undefined;
  assertLockOrder(tx, table, keys);
  return (locked) => recordLocked(tx, table, [...(keys ?? []), ...locked]);
}

/** Also for rows that the transaction inserted, which it has locked thereby. */
export function recordLocked(tx: object, table: LockedTable, locked: readonly string[]): void {
  if (!isEnforced) return;
  for (const key of locked) keysOf(tx, table).add(key);
}

/** Call at a savepoint; call the result after a rollback to it, which releases the later locks. */
export function markLocks(tx: object, table: LockedTable): () => void {
  const before = [...keysOf(tx, table)];
  return () => {
    keysOf(tx, table).clear();
    recordLocked(tx, table, before);
  };
}
