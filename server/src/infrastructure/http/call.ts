import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@lightkeeper/contract";
import type { Caller } from "./caller.ts";

/** A request that was admitted and parsed. */
export interface Call<E extends Endpoint> extends Caller<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  now: Date;
}
