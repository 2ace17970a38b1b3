import * as contract from "@lightkeeper/contract";
import type { Reader } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findBlockProgress } from "../../nouns/hosts/block-progress.service.ts";
import { findHostTraffic } from "../../nouns/hosts/host-traffic.service.ts";
import type { Control } from "./control.ts";

export function serveHostState(
  routes: Routes,
  reader: Reader,
  { findHostState }: Pick<Control, "findHostState">,
): void {
  routes.read(contract.getHostState, async ({ actor, params }) => {
    const state = await findHostState({ organizationID: actor.organization.id, hostID: params.hostID });
    if (!state) throw new ApiError("ERR_NOT_FOUND");
    return state;
  });

  routes.read(contract.getHostTraffic, async ({ actor, params, now }) => {
    const { hostID } = params;
    const traffic = await findHostTraffic(reader, { organizationID: actor.organization.id, hostID, now });
    if (!traffic) throw new ApiError("ERR_NOT_FOUND");
    return traffic;
  });

  routes.read(contract.getBlockProgress, async ({ actor, params, now }) => {
    const { hostID } = params;
    const progress = await findBlockProgress(reader, { organizationID: actor.organization.id, hostID, now });
    if (progress === undefined) throw new ApiError("ERR_NOT_FOUND");
    return progress;
  });
}
