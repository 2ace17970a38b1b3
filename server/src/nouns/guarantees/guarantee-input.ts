import { type BodyOf, type createGuarantee, SUSPENSION_DAYS_MAX } from "@lightkeeper/contract";
import { formatIpPrefix, isMasked, parseIpPrefix } from "@lightkeeper/nebula";
import type { Reader } from "../../infrastructure/db/client.ts";
import { ApiError, type Problem, requireNoProblems } from "../../infrastructure/errors/api-error.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import { findNames, type ReferencedTable } from "./guarantees.queries.ts";

export type GuaranteeBody = BodyOf<typeof createGuarantee>;
type Selector = GuaranteeBody["destination"];

const TABLES = { role: "roles", tag: "tags", host: "hosts" } as const;

/** Reports all references to objects that the organization doesn't have, and an invalid subnet. */
export async function requireValidGuarantee(
  db: Reader,
  organizationID: string,
  { source, destination, networkID }: GuaranteeBody,
): Promise<void> {
  const references = [
    ...findReferences(source, "source"),
    ...findReferences(destination, "destination"),
    ...(networkID === null ? [] : [{ table: "networks" as const, id: networkID, path: "networkID" }]),
  ];
  const problems: Problem[] = [];
  for (const { table, id, path } of references) {
    const names = await findNames(db, organizationID, table, [id]);
    if (!names.has(id)) problems.push({ code: "ERR_INVALID_REFERENCE", path });
  }
  requireNoProblems([...problems, ...validateSubnet(destination)]);
}

function findReferences(
  selector: Selector,
  path: string,
): { table: ReferencedTable; id: string; path: string }[] {
  if (selector.type === "any" || selector.type === "subnet") return [];
  return [{ table: TABLES[selector.type], id: selector.id, path: `${path}.id` }];
}

function validateSubnet(destination: Selector): Problem[] {
  if (destination.type !== "subnet") return [];
  const cidr = parseIpPrefix(destination.cidr);
  if (cidr && isMasked(cidr)) return [];
  const message =
    "must be an IPv4 or IPv6 network in CIDR form, such as 192.168.5.0/24 or fd12:3456:789a::/64";
  return [{ code: "ERR_INVALID_VALUE", path: "destination.cidr", message }];
}

/** With a subnet in canonical form. */
export function canonicalSelector(selector: Selector): Selector {
  const prefix = selector.type === "subnet" ? parseIpPrefix(selector.cidr) : undefined;
  return prefix ? { type: "subnet", cidr: formatIpPrefix(prefix) } : selector;
}

export function requireSuspensionEnd(until: string, now: Date): Date {
  const end = new Date(until);
  const last = now.getTime() + SUSPENSION_DAYS_MAX * DAY_MS;
  if (end <= now || end.getTime() > last)
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "until",
      message: `must be in the future, at most ${SUSPENSION_DAYS_MAX} days from now`,
    });
  return end;
}
