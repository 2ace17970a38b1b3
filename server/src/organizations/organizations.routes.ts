import * as contract from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Routes } from "../http/route.ts";
import { findFeatureFlags } from "./organizations.queries.ts";
import { deleteOrganization } from "./organizations.service.ts";

export function serveOrganizations(routes: Routes, ctx: Context): void {
  routes.write(contract.deleteOrganization, ({ person, params }, tx) =>
    deleteOrganization(tx, { person, id: params.organizationID }),
  );

  routes.read(contract.getFeatureFlags, async ({ person }) => ({
    ...ctx.config.featureFlags,
    ...(await findFeatureFlags(ctx.reader, person.organization.id)),
  }));
}
