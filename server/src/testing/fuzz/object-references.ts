/** References to objects in a plan, which is generated before the objects exist. */
import type { Endpoint } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import fc from "fast-check";

export type Side = "own" | "theirs";

export const paramsOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Every path parameter of the contract, with an endpoint whose sample creates such an object. */
export const creators: ReadonlyMap<string, string> = new Map(
  [...endpoints]
    // GET endpoints come last and win: their samples are not deleted by the request.
    .sort(([, a], [, b]) => Number(a.method === "GET") - Number(b.method === "GET"))
    .flatMap(([name, endpoint]) => paramsOf(endpoint).map((param): [string, string] => [param, name])),
);

const REFERENCE = /@\{(own|theirs)\.(\w+)\}/g;
export const reference = (side: Side, param: string) => `@{${side}.${param}}`;

export const anObjectReference: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom<Side>("own", "own", "theirs"), fc.constantFrom(...creators.keys()))
  .map(([side, param]) => reference(side, param));

/** Replaces references with the IDs of objects. */
export async function resolveReferences(
  text: string,
  find: (side: Side, param: string) => Promise<string>,
): Promise<string> {
  const found = new Map<string, string>();
  for (const [match, side, param] of text.matchAll(REFERENCE)) {
    if (!found.has(match)) found.set(match, await find(side as Side, param ?? ""));
  }
  return found.size === 0 ? text : text.replace(REFERENCE, (match) => found.get(match) ?? match);
}
