/** What one request will be like, before it is known to whom and to what it is sent. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import { aParam, aQuery, type Piece, type QueryEntry } from "./address-plan.ts";
import { aBody, type BodyPlan } from "./body-plan.ts";
import { paramsOf } from "./things.ts";
import { weighted } from "./weighted.ts";
import type { Who } from "./world.ts";

export interface Plan {
  who: Who;
  params: Record<string, Piece>;
  query: QueryEntry[];
  body: BodyPlan;
  contentType: string | null;
}

const anOddHeader = fc.record({
  header: fc.constantFrom(
    "",
    "Bearer",
    "Bearer  ",
    "Basic YTpi",
    "Bearer a b c",
    "bearer a",
    "Bearer lkkey-",
    "Bearer é",
    `Bearer ${"a".repeat(129)}`,
  ),
});

/** Where there is nothing else to vary, it is who asks. */
const aWho = (isAllThatVaries: boolean): fc.Arbitrary<Who> =>
  weighted<Who>(
    [isAllThatVaries ? 2 : 30, fc.constant("owner")],
    [3, fc.constantFrom("key", "stranger")],
    [2, fc.constantFrom("half", "mixed", "nobody")],
    [isAllThatVaries ? 4 : 1, anOddHeader],
  );

const aContentType = weighted<string | null>(
  [20, fc.constant("application/json")],
  [2, fc.constant(null)],
  [
    1,
    fc.constantFrom(
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "json",
      ";",
      "",
    ),
  ],
);

export function plansFor(endpoint: Endpoint): fc.Arbitrary<Plan> {
  const params = paramsOf(endpoint).map((name) => [name, aParam(!endpoint.body)] as const);
  return fc.record({
    who: aWho(params.length === 0 && !endpoint.query && !endpoint.body),
    params: fc.record(Object.fromEntries(params)),
    query: aQuery(endpoint),
    body: aBody(endpoint),
    contentType: aContentType,
  });
}
