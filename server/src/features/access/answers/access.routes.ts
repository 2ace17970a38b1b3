import * as contract from "@lightkeeper/contract";
import { indexNetwork } from "@lightkeeper/nebula/access";
import type { Context } from "../../../infrastructure/context/context.ts";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../../infrastructure/http/route.ts";
import { describeAccessMatrix } from "./access-matrix.ts";
import { checkAccess } from "./check.ts";
import { describeHostAccess } from "./host-access.ts";
import { readHostSync } from "./host-sync.queries.ts";
import { lintDraft, lintSavedRules } from "./lint.ts";
import type { LoadNetworks } from "./loaded-network.ts";

export function serveAccessAnswers(routes: Routes, ctx: Context, networks: LoadNetworks): void {
  routes.writeUnaudited(contract.checkAccess, ({ actor, body }) => {
    const organizationID = actor.organization.id;
    return checkAccess(
      { networks, readHostSync: (hostIDs) => readHostSync(ctx.reader, organizationID, hostIDs) },
      organizationID,
      body,
    );
  });

  routes.read(contract.getHostAccess, async ({ actor, params, query }) => {
    const loaded = await networks.ofHost(actor.organization.id, params.hostID);
    const host = loaded && indexNetwork(loaded.network).byID.get(params.hostID);
    if (!loaded || !host) throw new ApiError("ERR_NOT_FOUND");
    return describeHostAccess(loaded, host, query["filter.search"]);
  });

  routes.read(contract.getAccessMatrix, async ({ actor, params, query }) => {
    const loaded = await networks.one(actor.organization.id, params.networkID);
    if (!loaded) throw new ApiError("ERR_NOT_FOUND");
    return describeAccessMatrix(loaded, query);
  });

  routes.writeUnaudited(contract.lintRules, async ({ actor, body }) =>
    lintDraft(await networks.rules(actor.organization.id), body),
  );

  routes.read(contract.listRuleLints, async ({ actor }) =>
    lintSavedRules(await networks.rules(actor.organization.id)),
  );
}
