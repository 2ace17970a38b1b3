/** What stands in the way of a deletion. Whoever comes here holds the thing, so that nothing comes to depend on it. */
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import {
  type Dependents,
  findHostsOf,
  findNaming,
  findRoutesThrough,
  SHOWN_MAX,
} from "./dependents.queries.ts";

type Deleted = { roleID: string } | { tag: string } | { networkID: string } | { hostIDs: readonly string[] };

async function find(tx: Writer, organizationID: string, deleted: Deleted): Promise<Dependents[]> {
  if ("hostIDs" in deleted) return [await findRoutesThrough(tx, organizationID, deleted.hostIDs)];
  const naming = "networkID" in deleted ? [] : await findNaming(tx, organizationID, deleted);
  const first = naming.slice(0, SHOWN_MAX).map(({ type, id, name }) => ({ type, id, name }));
  return [{ first, total: naming.length }, await findHostsOf(tx, organizationID, deleted)];
}

/** Refuses with the first of them by name: of hosts there may be many, so that everything else comes before. */
export async function requireNoDependents(
  tx: Writer,
  organizationID: string,
  deleted: Deleted,
): Promise<void> {
  const found = await find(tx, organizationID, deleted);
  const total = found.reduce((sum, one) => sum + one.total, 0);
  if (total === 0) return;
  const dependents = found.flatMap(({ first }) => first).slice(0, SHOWN_MAX);
  throw new ApiError("ERR_HAS_DEPENDENTS", { extra: { dependents, total } });
}
