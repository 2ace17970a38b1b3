import * as contract from "@lightkeeper/contract";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import type { Control } from "./control.ts";

export function serveHostState(routes: Routes, { findHostState }: Pick<Control, "findHostState">): void {
  routes.read(contract.getHostState, async ({ actor, params }) => {
    const state = await findHostState({ organizationID: actor.organization.id, hostID: params.hostID });
    if (!state) throw new ApiError("ERR_NOT_FOUND");
    return state;
  });
}
