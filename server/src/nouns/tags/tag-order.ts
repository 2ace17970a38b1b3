/**
 * The order of an organization's tags: the higher priority wins, and gaps mean nothing. Requests that create, change or
 * delete tags lock the organization first and so run one at a time.
 */
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockTagsForUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError, requireNoProblems } from "../../infrastructure/errors/api-error.ts";

/** The least priority above all tags. The caller has locked the organization. */
export async function topPriority(tx: Writer, organizationID: string): Promise<number> {
  const { top } = await tx
    .selectFrom("tags")
    .select(({ fn }) => fn.max<number | null>("priority").as("top"))
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return (top ?? 0) + 1;
}

export interface Place {
  before?: string | undefined;
  after?: string | undefined;
}

export function requireOnePlace({ before, after }: Place): void {
  if (before === undefined || after === undefined) return;
  const fault = { code: "ERR_INVALID_VALUE", message: "give either before or after" } as const;
  requireNoProblems([
    { ...fault, path: "before" },
    { ...fault, path: "after" },
  ]);
}

/**
 * The priority just below `before` or just above `after`, freed of whoever had it; undefined when no place is
 * asked for. The caller has locked the organization.
 */
export async function makeRoom(
  tx: Writer,
  { organizationID, name, before, after }: Place & { organizationID: string; name: string },
): Promise<number | undefined> {
  const neighbour = before ?? after;
  if (neighbour === undefined) return undefined;
  const beside = neighbour === name ? undefined : await findPriority(tx, organizationID, neighbour);
  if (beside === undefined)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: before === undefined ? "after" : "before" });
  const place = before === undefined ? beside + 1 : beside;
  await moveUp(tx, { organizationID, name, place });
  return place;
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

/** Moves the others from the place up to the first gap one higher. */
async function moveUp(
  tx: Writer,
  { organizationID, name, place }: { organizationID: string; name: string; place: number },
): Promise<void> {
  const others = await tx
    .selectFrom("tags")
    .select("priority")
    .where("organization_id", "=", organizationID)
    .where("name", "!=", name)
    .where("priority", ">=", place)
    .orderBy("priority")
    .execute();
  const gap = others.findIndex(({ priority }, index) => priority !== place + index);
  const end = place + (gap === -1 ? others.length : gap);
  const inTheWay = sql<boolean>`name <> ${name} and priority >= ${place} and priority < ${end}`;
  const affected = await tx
    .selectFrom("tags")
    .select("name")
    .where("organization_id", "=", organizationID)
    .where((eb) => eb.or([eb("name", "=", name), inTheWay]))
    .execute();
  const names = affected.map((tag) => tag.name);
  await lockTagsForUpdate(tx, organizationID, names);
  await tx
    .updateTable("tags")
    .set((eb) => ({ priority: eb("priority", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where(inTheWay)
    .execute();
}
