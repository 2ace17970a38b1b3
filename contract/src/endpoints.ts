/** All endpoints by name, for the server, the API reference and the guard tests. */
import type { Endpoint } from "./endpoint.ts";
import * as contract from "./index.ts";
import { nouns } from "./nouns.ts";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "response" in value && "access" in value;

const nounOrder = Object.keys(nouns);
const methodOrder: readonly Endpoint["method"][] = ["GET", "POST", "PUT", "DELETE"];
const withoutVersion = (path: string) => path.replace(/^\/v\d+/, "");

/** By noun, then by path: lists and creation come before the calls for one object. */
function compare(a: Endpoint, b: Endpoint): number {
  return (
    nounOrder.indexOf(a.noun) - nounOrder.indexOf(b.noun) ||
    withoutVersion(a.path).localeCompare(withoutVersion(b.path), "en") ||
    methodOrder.indexOf(a.method) - methodOrder.indexOf(b.method) ||
    a.path.localeCompare(b.path, "en")
  );
}

export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries<unknown>(contract)
    .filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1]))
    .sort(([, a], [, b]) => compare(a, b)),
);
