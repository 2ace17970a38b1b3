import { expect } from "vitest";
import { type Limit, limitKey } from "../infrastructure/http/rate-limit.ts";
import type { TestServer } from "./server.ts";

/** Counts the first attempt as many. */
export async function fillLimit(
  server: TestServer,
  limit: Pick<Limit, "name" | "subject">,
  attempts: number,
): Promise<void> {
  const filled = await server.query(
    "update rate_limits set hits = array_fill(hits[1], array[$2::integer]) where key = $1 returning key",
    [limitKey(limit), attempts],
  );
  expect(filled).toHaveLength(1);
}
