/** A query that is built and compiled once: for most queries, both take longer than sending it. */
import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Reader } from "./client.ts";
import type { Tables } from "./tables.ts";

/** Stands for a value in the compiled query. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const placeholders = <Values extends object>() =>
  new Proxy({}, { get: (_target, name: string) => new Placeholder(name) }) as Values;

/**
 * The query may pass the values to the database, but not read them: when it is built, none is known. Its text must be
 * the same for all values.
 */
export function prepareQuery<Values extends object, Row, Database extends Reader = Reader>(
  build: (db: Database, values: Values) => Compilable<Row>,
): (db: Database, values: Values) => Promise<Row[]> {
  const select = prepareQueries((db: Database, _shape: null, values: Values) => build(db, values));
  return (db, values) => select(db, null, values);
}

/** The same for a query whose text depends on a few properties, its shape. It is built once for each shape. */
export function prepareQueries<Shape, Values extends object, Row, Database extends Reader = Reader>(
  build: (db: Database, shape: Shape, values: Values) => Compilable<Row>,
): (db: Database, shape: Shape, values: Values) => Promise<Row[]> {
  const compiledByShape = new Map<string, CompiledQuery<Row>>();
  return async (db, shape, values) => {
    const key = JSON.stringify(shape);
    let compiled = compiledByShape.get(key);
    if (!compiled) {
      compiled = build(db, shape, placeholders<Values>()).compile();
      compiledByShape.set(key, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await (db as unknown as Kysely<Tables>).executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}
