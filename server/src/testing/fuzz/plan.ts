/** Generates plans of requests, independent of existing objects. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import { aParam, aQuery, type UrlPart, type QueryEntry } from "./url-plan.ts";
import { aBody, type BodyPlan } from "./body-plan.ts";
import { paramsOf } from "./object-references.ts";
import { weighted } from "./weighted.ts";
import type { Caller } from "./fuzz-data.ts";

export interface Plan {
  caller: Caller;
  params: Record<string, UrlPart>;
  query: QueryEntry[];
  body: BodyPlan;
  contentType: string | null;
}

const anInvalidHeader = fc.record({
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

/** Varies the caller more if nothing else can vary. */
const aCaller = (isAllThatVaries: boolean): fc.Arbitrary<Caller> =>
  weighted<Caller>(
    [isAllThatVaries ? 2 : 30, fc.constant("owner")],
    [3, fc.constantFrom("key", "stranger")],
    [2, fc.constantFrom("no second factor", "mixed", "no session")],
    [isAllThatVaries ? 4 : 1, anInvalidHeader],
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
    caller: aCaller(params.length === 0 && !endpoint.query && !endpoint.body),
    params: fc.record(Object.fromEntries(params)),
    query: aQuery(endpoint),
    body: aBody(endpoint),
    contentType: aContentType,
  });
}
