import * as contract from "@lightkeeper/contract";
import type { Role } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { previewDetach } from "../../features/dependents/preview.service.ts";
import type { Detach } from "../firewall-rules/detached-rules.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { type CountedRole, findRole, listRoles } from "./roles.queries.ts";
import { createRole, deleteRole, updateRole } from "./roles.service.ts";

const toRole = (row: CountedRole): Role => ({
  id: row.id,
  name: row.name,
  description: row.description,
  firewallRules: row.firewall_rules,
  hostCount: row.host_count,
  createdAt: row.created_at.toISOString(),
  modifiedAt: row.modified_at.toISOString(),
});

export function serveRoles(routes: Routes, ctx: Context, detach: Detach): void {
  routes.read(contract.listRoles, async ({ actor, query }) => {
    const { rows, metadata } = await listRoles(
      ctx.reader,
      actor.organization.id,
      query["filter.search"],
      query,
    );
    return { data: rows.map(toRole), metadata };
  });

  routes.read(contract.getRole, async ({ actor, params }) => {
    const row = await findRole(ctx.reader, actor.organization.id, params.roleID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toRole(row);
  });

  routes.write(contract.createRole, async ({ actor, body, now }, tx) =>
    mapOutcome(await createRole(tx, { actor, body, now }), toRole),
  );
  routes.write(contract.updateRole, async ({ actor, params, body, now }, tx) =>
    mapOutcome(await updateRole(tx, { actor, id: params.roleID, body, now }), toRole),
  );
  routes.read(contract.getRoleDependents, async ({ actor, params: { roleID } }) => {
    const organizationID = actor.organization.id;
    if (!(await findRole(ctx.reader, organizationID, roleID))) throw new ApiError("ERR_NOT_FOUND");
    return previewDetach(ctx.reader, organizationID, { roleID });
  });
  routes.write(contract.deleteRole, ({ actor, params, query, now }, tx) =>
    deleteRole(tx, { actor, id: params.roleID, detach: query.detach ? detach : undefined, now }),
  );
}
