import * as contract from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Routes } from "../http/route.ts";
import { deleteOrganization } from "./organizations.service.ts";

export function serveOrganizations(routes: Routes, ctx: Context): void {
  routes.write(contract.deleteOrganization, ({ person, params }, tx) =>
    deleteOrganization(tx, { person, id: params.organizationID }),
  );

  routes.read(contract.getFeatureFlags, async ({ person }) => {
    const own = await ctx.reader
      .selectFrom("feature_flags")
      .select(["name", "value"])
      .where("organization_id", "=", person.organization.id)
      .execute();
    return { ...ctx.config.featureFlags, ...Object.fromEntries(own.map(({ name, value }) => [name, value])) };
  });
}
