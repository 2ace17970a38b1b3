/**
 * The order of an organization's tags: the higher priority wins, and gaps mean nothing. Requests that create, change or
 * delete tags lock the organization first and so run one at a time.
 */
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockTagsForUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError, requireNoProblems } from "../../infrastructure/errors/api-error.ts";

/** The priority above all tags. The caller has locked the organization. */
export async function topPriority(tx: Writer, organizationID: string): Promise<number> {
  const { top } = await tx
    .selectFrom("tags")
    .select(({ fn }) => fn.max<number | null>("priority").as("top"))
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return (top ?? 0) + 1;
}

export interface TagPosition {
  before?: string | undefined;
  after?: string | undefined;
}

export function requireOnePosition({ before, after }: TagPosition): void {
  if (before === undefined || after === undefined) return;
  const problem = { code: "ERR_INVALID_VALUE", message: "use either before or after" } as const;
  requireNoProblems([
    { ...problem, path: "before" },
    { ...problem, path: "after" },
  ]);
}

/**
 * Frees the priority just below `before` or just above `after`, and returns it; undefined without a position. The
 * caller has locked the organization.
 */
export async function freePriority(
  tx: Writer,
  { organizationID, name, before, after }: TagPosition & { organizationID: string; name: string },
): Promise<number | undefined> {
  const neighbor = before ?? after;
  if (neighbor === undefined) return undefined;
  const neighborPriority = neighbor === name ? undefined : await findPriority(tx, organizationID, neighbor);
  if (neighborPriority === undefined)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: before === undefined ? "after" : "before" });
  const priority = before === undefined ? neighborPriority + 1 : neighborPriority;
  await raisePriorities(tx, { organizationID, name, from: priority });
  return priority;
}

async function findPriority(tx: Writer, organizationID: string, name: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom("tags")
    .select("priority")
    .where("organization_id", "=", organizationID)
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.priority;
}

/** Raises the priorities of the other tags, from this priority up to the first gap, by one. */
async function raisePriorities(
  tx: Writer,
  { organizationID, name, from }: { organizationID: string; name: string; from: number },
): Promise<void> {
  const tagsAbove = await tx
    .selectFrom("tags")
    .select("priority")
    .where("organization_id", "=", organizationID)
    .where("name", "!=", name)
    .where("priority", ">=", from)
    .orderBy("priority")
    .execute();
  const gap = tagsAbove.findIndex(({ priority }, index) => priority !== from + index);
  const end = from + (gap === -1 ? tagsAbove.length : gap);
  const isRaised = sql<boolean>`name <> ${name} and priority >= ${from} and priority < ${end}`;
  const affected = await tx
    .selectFrom("tags")
    .select("name")
    .where("organization_id", "=", organizationID)
    .where((eb) => eb.or([eb("name", "=", name), isRaised]))
    .execute();
  const names = affected.map((tag) => tag.name);
  await lockTagsForUpdate(tx, organizationID, names);
  await tx
    .updateTable("tags")
    .set((eb) => ({ priority: eb("priority", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where(isRaised)
    .execute();
}
