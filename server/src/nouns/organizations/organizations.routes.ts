import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import {
  deleteOrganization,
  type DeleteRows,
  featureFlagsOf,
  renameOrganization,
} from "./organizations.service.ts";

export function serveOrganizations(
  routes: Routes,
  ctx: Context,
  deleteUncascaded: readonly DeleteRows[],
): void {
  routes.write(contract.updateOrganization, ({ person, params, body }, tx) =>
    renameOrganization(tx, { person, id: params.organizationID, name: body.name }),
  );

  routes.write(contract.deleteOrganization, ({ person, params }, tx) =>
    deleteOrganization(tx, { person, id: params.organizationID, deleteUncascaded }),
  );

  routes.read(contract.getFeatureFlags, ({ person }) => featureFlagsOf(ctx, person.organization.id));
}
