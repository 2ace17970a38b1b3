import * as contract from "@lightkeeper/contract";
import type { Tag, TagListItem } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { previewDetach } from "../../features/dependents/preview.service.ts";
import type { Detach } from "../firewall-rules/detached-rules.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findTag, type ListedTag, listTags, type WholeTag } from "./tags.queries.ts";
import { createTag, deleteTag, updateTag } from "./tags.service.ts";

const toListItem = (row: ListedTag): TagListItem => ({
  name: row.name,
  description: row.description,
  priority: row.priority,
  configOverrides: row.config_overrides,
  routeSubscriptions: row.route_subscriptions,
  firewallRulesCount: row.firewall_rules_count,
  hostCount: row.host_count,
});

const toTag = (row: WholeTag): Tag => ({
  ...toListItem({ ...row, firewall_rules_count: row.firewall_rules.length }),
  firewallRules: row.firewall_rules,
});

export function serveTags(routes: Routes, ctx: Context, detach: Detach): void {
  routes.read(contract.listTags, async ({ actor, query }) => {
    const { rows, metadata } = await listTags(ctx.reader, {
      ...query,
      organizationID: actor.organization.id,
      search: query["filter.search"],
    });
    return { data: rows.map(toListItem), metadata };
  });

  routes.read(contract.getTag, async ({ actor, params }) => {
    const row = await findTag(ctx.reader, actor.organization.id, params.tag);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toTag(row);
  });

  routes.write(contract.createTag, async ({ actor, body, now }, tx) =>
    mapOutcome(await createTag(tx, { actor, body, now }), toTag),
  );
  routes.write(contract.updateTag, async ({ actor, params, body, now }, tx) =>
    mapOutcome(await updateTag(tx, { actor, name: params.tag, body, now }), toTag),
  );
  routes.read(contract.getTagDependents, async ({ actor, params: { tag } }) => {
    const organizationID = actor.organization.id;
    if (!(await findTag(ctx.reader, organizationID, tag))) throw new ApiError("ERR_NOT_FOUND");
    return previewDetach(ctx.reader, organizationID, { tag });
  });
  routes.write(contract.deleteTag, ({ actor, params, query, now }, tx) =>
    deleteTag(tx, { actor, name: params.tag, detach: query.detach ? detach : undefined, now }),
  );
}
