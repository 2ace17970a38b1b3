import * as contract from "@lightkeeper/contract";
import type { Network, NetworkV2 } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import type { PageRequest } from "../../infrastructure/db/pages.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Actor } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { cidrsOf } from "./network-cidrs.ts";
import { findNetwork, listNetworks, type NetworkRow } from "./networks.queries.ts";
import { addCidr, createNetwork, deleteNetwork, updateNetwork } from "./networks.service.ts";

const commonFields = (row: NetworkRow) => ({
  id: row.id,
  organizationID: row.organization_id,
  name: row.name,
  description: row.description,
  curve: row.curve,
  signingCAID: row.signing_ca_id,
  lighthousesAsRelays: row.lighthouses_as_relays,
  hostCount: row.host_count,
  createdAt: row.created_at.toISOString(),
});

/** The deprecated shape has only one range. */
const toNetwork = (row: NetworkRow): Network => ({ ...commonFields(row), cidr: cidrsOf(row)[0] ?? "" });

const toNetworkV2 = (row: NetworkRow): NetworkV2 => ({
  ...commonFields(row),
  cidrs: cidrsOf(row),
  certVersion: row.cert_version,
  disableManagedLighthouses: row.disable_managed_lighthouses,
});

export function serveNetworks(routes: Routes, ctx: Context): void {
  serveReads(routes, ctx);
  serveCreation(routes, ctx);
  serveChanges(routes);
}

function serveReads(routes: Routes, ctx: Context): void {
  const list = async <T>(actor: Actor, request: PageRequest, present: (row: NetworkRow) => T) => {
    const { rows, metadata } = await listNetworks(ctx.reader, actor.organization.id, request);
    return { data: rows.map(present), metadata };
  };
  const get = async (actor: Actor, id: string) => {
    const row = await findNetwork(ctx.reader, actor.organization.id, id);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return row;
  };

  routes.read(contract.listNetworks, ({ actor, query }) => list(actor, query, toNetwork));
  routes.read(contract.listNetworksV2, ({ actor, query }) => list(actor, query, toNetworkV2));
  routes.read(contract.getNetwork, async ({ actor, params }) =>
    toNetwork(await get(actor, params.networkID)),
  );
  routes.read(contract.getNetworkV2, async ({ actor, params }) =>
    toNetworkV2(await get(actor, params.networkID)),
  );
}

function serveCreation(routes: Routes, ctx: Context): void {
  routes.write(contract.createNetwork, async ({ actor, now, body: { cidr, ...body } }, tx) => {
    const network = {
      ...body,
      cidrs: cidr === undefined ? [] : [{ text: cidr, path: "cidr" }],
      curve: "25519",
      certVersion: 1,
      disableManagedLighthouses: false,
    } as const;
    return mapOutcome(await createNetwork(ctx, tx, { actor, now, network }), toNetwork);
  });
  routes.write(contract.createNetworkV2, async ({ actor, now, body: { cidrs = [], ...body } }, tx) => {
    const network = { ...body, cidrs: cidrs.map((text, index) => ({ text, path: `cidrs[${index}]` })) };
    return mapOutcome(await createNetwork(ctx, tx, { actor, now, network }), toNetworkV2);
  });
}

function serveChanges(routes: Routes): void {
  routes.write(contract.updateNetwork, async ({ actor, params, body }, tx) => {
    const change = { ...body, disableManagedLighthouses: undefined };
    return mapOutcome(await updateNetwork(tx, { actor, id: params.networkID, change }), toNetwork);
  });
  routes.write(contract.updateNetworkV2, async ({ actor, params, body }, tx) =>
    mapOutcome(await updateNetwork(tx, { actor, id: params.networkID, change: body }), toNetworkV2),
  );
  routes.write(contract.deleteNetwork, ({ actor, params }, tx) =>
    deleteNetwork(tx, { actor, id: params.networkID }),
  );
  routes.write(contract.addNetworkCidr, async ({ actor, params, body }, tx) =>
    mapOutcome(await addCidr(tx, { actor, id: params.networkID, cidr: body.cidr }), toNetworkV2),
  );
}
