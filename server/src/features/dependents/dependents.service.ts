/** What prevents a deletion. The caller has locked what it deletes, so that nothing can start to use it. */
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import {
  type Dependents,
  findHostsOf,
  findRuleOwners,
  findRoutesThrough,
  SHOWN_MAX,
} from "./dependents.queries.ts";

type DeletedObject =
  | { roleID: string }
  | { tag: string }
  | { networkID: string }
  | { hostIDs: readonly string[] };

async function findDependents(
  tx: Writer,
  organizationID: string,
  deleted: DeletedObject,
): Promise<Dependents[]> {
  if ("hostIDs" in deleted) return [await findRoutesThrough(tx, organizationID, deleted.hostIDs)];
  const ruleOwners = "networkID" in deleted ? [] : await findRuleOwners(tx, organizationID, deleted);
  const first = ruleOwners.slice(0, SHOWN_MAX).map(({ type, id, name }) => ({ type, id, name }));
  return [{ first, total: ruleOwners.length }, await findHostsOf(tx, organizationID, deleted)];
}

/** The error lists the first dependents by name, hosts last, because there may be many. */
export async function requireNoDependents(
  tx: Writer,
  organizationID: string,
  deleted: DeletedObject,
): Promise<void> {
  const found = await findDependents(tx, organizationID, deleted);
  const total = found.reduce((sum, dependents) => sum + dependents.total, 0);
  if (total === 0) return;
  const shown = found.flatMap(({ first }) => first).slice(0, SHOWN_MAX);
  throw new ApiError("ERR_HAS_DEPENDENTS", { extra: { dependents: shown, total } });
}
