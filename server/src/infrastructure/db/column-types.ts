import type { ColumnType, SelectType } from "kysely";

/** Set when the row is inserted and never changed. */
export type Fixed<T> = ColumnType<T, T, never>;

export type ReadOnly<Column> = ColumnType<SelectType<Column>, never, never>;

/** Can be updated, but not inserted. */
export type Updatable<Column> = ColumnType<SelectType<Column>, never, SelectType<Column>>;
