/**
 * Names for the statements that run often. The database parses a named statement once per connection and, after a few
 * runs, also keeps its plan.
 */
import { createHash } from "node:crypto";

/** Rare statements aren't worth the memory that each connection needs for them. */
const USES_MIN = 20;
/** Each connection keeps this many plans at most. */
const NAMES_MAX = 150;
/** Statements with lists of values have many texts, which are counted only for a while. */
const COUNTED_MAX = 2000;

/**
 * The columns of `*` change with a migration, and the database rejects a named statement whose columns changed. In a
 * multiplication, a value follows.
 */
const hasAllColumns = (sql: string) => /(?<!count\()\*\s*(?:$|[,)]|from\b)/.test(sql);
/** The best plan of a search depends on the text, and that of a filter by several tags on how frequent they are. */
const hasPlanPerValue = (sql: string) => /\blike\b|strpos\(|@>/.test(sql);
const isNameable = (sql: string) => /^\s*(select|insert|update|delete|with)\b/.test(sql);

export interface StatementNames {
  /** Undefined if the statement should stay unnamed. */
  nameOf: (sql: string) => string | undefined;
}

export const NO_NAMES: StatementNames = { nameOf: () => undefined };

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();

  function count(sql: string): number {
    if (uses.size >= COUNTED_MAX) uses.clear();
    const count = (uses.get(sql) ?? 0) + 1;
    uses.set(sql, count);
    return count;
  }

  return {
    nameOf: (sql) => {
      const known = names.get(sql);
      if (known !== undefined || names.size >= NAMES_MAX || count(sql) < USES_MIN) return known;
      uses.delete(sql);
      if (!isNameable(sql) || hasAllColumns(sql) || hasPlanPerValue(sql)) return undefined;
      const name = createHash("sha256").update(sql).digest("base64url").slice(0, 22);
      names.set(sql, name);
      return name;
    },
  };
}
