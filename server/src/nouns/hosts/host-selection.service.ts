import type { HostFilter } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { releaseOf } from "../../infrastructure/config/version.ts";
import { findHostIDs } from "./host-list.queries.ts";
import { findExistingIDs } from "./hosts.queries.ts";

export interface HostSelection {
  organizationID: string;
  ids?: string[] | undefined;
  filter?: HostFilter | undefined;
  now: Date;
}

/** Selects hosts by their ids or by a filter. */
export async function selectHosts(
  ctx: Context,
  { organizationID, ids, filter = {}, now }: HostSelection,
): Promise<string[]> {
  if (!ids)
    return findHostIDs(ctx.reader, { organizationID, filter, agentVersion: releaseOf(ctx.version), now });
  const existing = await findExistingIDs(ctx.reader, organizationID, ids);
  const invalidIndex = ids.findIndex((id) => !existing.has(id));
  if (invalidIndex !== -1) throw new ApiError("ERR_INVALID_REFERENCE", { path: `ids[${invalidIndex}]` });
  return [...existing];
}
