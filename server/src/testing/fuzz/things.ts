/** Names for things of the world a request is sent into: the plan of a request is made before they exist. */
import type { Endpoint } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import fc from "fast-check";

export type Side = "own" | "theirs";

export const paramsOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Every path parameter of the contract, with an endpoint whose sample makes such a thing. */
export const makers: ReadonlyMap<string, string> = new Map(
  [...endpoints]
    // Where the same thing can be read and deleted, the sample of the reading call comes last and stays.
    .sort(([, one], [, other]) => Number(one.method === "GET") - Number(other.method === "GET"))
    .flatMap(([name, endpoint]) => paramsOf(endpoint).map((param): [string, string] => [param, name])),
);

const MENTION = /@\{(own|theirs)\.(\w+)\}/g;
export const mention = (side: Side, param: string) => `@{${side}.${param}}`;

export const aThing: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom<Side>("own", "own", "theirs"), fc.constantFrom(...makers.keys()))
  .map(([side, param]) => mention(side, param));

/** Puts the ids of things where they are mentioned. */
export async function resolve(
  text: string,
  find: (side: Side, param: string) => Promise<string>,
): Promise<string> {
  const found = new Map<string, string>();
  for (const [mentioned, side, param] of text.matchAll(MENTION)) {
    if (!found.has(mentioned)) found.set(mentioned, await find(side as Side, param ?? ""));
  }
  return found.size === 0 ? text : text.replace(MENTION, (mentioned) => found.get(mentioned) ?? mentioned);
}
