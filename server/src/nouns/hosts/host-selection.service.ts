import type { HostFilter } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { releaseOf } from "../../infrastructure/config/version.ts";
import { findHostIDs } from "./host-list.queries.ts";
import { findKnownIDs } from "./hosts.queries.ts";

export interface HostSelection {
  organizationID: string;
  ids?: string[] | undefined;
  filter?: HostFilter | undefined;
  now: Date;
}

/** The hosts somebody means, by their ids or by what they have in common. */
export async function selectHosts(
  ctx: Context,
  { organizationID, ids, filter = {}, now }: HostSelection,
): Promise<string[]> {
  if (!ids)
    return findHostIDs(ctx.reader, { organizationID, filter, agentVersion: releaseOf(ctx.version), now });
  const known = await findKnownIDs(ctx.reader, organizationID, ids);
  const stray = ids.findIndex((id) => !known.has(id));
  if (stray !== -1) throw new ApiError("ERR_INVALID_REFERENCE", { path: `ids[${stray}]` });
  return [...known];
}
