/**
 * Runs concurrent requests of one client in one transaction. A client that creates many objects sends requests faster
 * than the database can commit them one by one; in one transaction they take one lock, one insert and one commit.
 */
import type { DataOf, Endpoint } from "@lightkeeper/contract";
import type { Context } from "../context/context.ts";
import type { Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../errors/api-error.ts";
import { createBatchPerKey } from "../scheduling/batch.ts";
import type { Call } from "./call.ts";

export type Calls<E extends Endpoint> = readonly [Call<E>, ...Call<E>[]];

export interface Sharing<E extends Endpoint> {
  /** Requests of one actor with the same key can share a transaction. */
  keyOf: (call: Call<E>) => string;
  /** Returns the data of each call, in their order. */
  handler: (calls: Calls<E>, tx: Writer) => Promise<Outcome<DataOf<E>[]>>;
}

const CALLS_MAX = 100;

/** The transaction was rolled back because of one of the requests. */
const isRejection = (error: unknown) => error instanceof ApiError;

/** Requests that are rejected together run again one by one, so that each gets its own result. */
export function shareWrites<E extends Endpoint>(
  ctx: Pick<Context, "audited">,
  { keyOf, handler }: Sharing<E>,
): (call: Call<E>) => Promise<DataOf<E>> {
  const runTogether = (calls: Call<E>[]) => {
    const [first, ...further] = calls as [Call<E>, ...Call<E>[]];
    const origin = { address: first.ip, isRepeated: further.length > 0 };
    return ctx.audited((tx) => handler([first, ...further], tx), origin);
  };
  return createBatchPerKey((call) => JSON.stringify([call.actor?.id, call.ip, keyOf(call)]), {
    work: runTogether,
    isItemError: isRejection,
    max: CALLS_MAX,
  });
}
