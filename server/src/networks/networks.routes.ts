import * as contract from "@lightkeeper/contract";
import type { Network, NetworkV2 } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Outcome } from "../db/audited.ts";
import type { PageRequest } from "../db/pages.ts";
import { ApiError } from "../http/api-error.ts";
import type { Person } from "../http/credentials.ts";
import type { Routes } from "../http/route.ts";
import { findNetwork, listNetworks, type NetworkRow } from "./networks.queries.ts";
import { addCidr, createNetwork, deleteNetwork, updateNetwork } from "./networks.service.ts";

const common = (row: NetworkRow) => ({
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

const toNetwork = (row: NetworkRow): Network => ({ ...common(row), cidr: row.cidr });

const toNetworkV2 = (row: NetworkRow): NetworkV2 => ({
  ...common(row),
  cidrs: [row.cidr],
  certVersion: row.cert_version,
  disableManagedLighthouses: row.disable_managed_lighthouses,
});

function answering<T>(outcome: Outcome<NetworkRow>, present: (row: NetworkRow) => T): Outcome<T> {
  return outcome.kind === "refused" ? outcome : { ...outcome, data: present(outcome.data) };
}

export function serveNetworks(routes: Routes, ctx: Context): void {
  const listed = async <T>(person: Person, request: PageRequest, present: (row: NetworkRow) => T) => {
    const { rows, metadata } = await listNetworks(ctx.reader, person.organization.id, request);
    return { data: rows.map(present), metadata };
  };
  const found = async (person: Person, id: string) => {
    const row = await findNetwork(ctx.reader, person.organization.id, id);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return row;
  };

  routes.read(contract.listNetworks, ({ person, query }) => listed(person, query, toNetwork));
  routes.read(contract.listNetworksV2, ({ person, query }) => listed(person, query, toNetworkV2));
  routes.read(contract.getNetwork, async ({ person, params }) =>
    toNetwork(await found(person, params.networkID)),
  );
  routes.read(contract.getNetworkV2, async ({ person, params }) =>
    toNetworkV2(await found(person, params.networkID)),
  );

  routes.write(contract.createNetwork, async ({ person, now, body }, tx) => {
    const network = {
      ...body,
      cidr: body.cidr,
      curve: "25519",
      certVersion: 1,
      disableManagedLighthouses: false,
    } as const;
    return answering(await createNetwork(ctx, tx, { person, now, network, cidrPath: "cidr" }), toNetwork);
  });
  routes.write(contract.createNetworkV2, async ({ person, now, body: { cidrs, ...body } }, tx) => {
    if (cidrs && cidrs.length > 1)
      throw new ApiError("ERR_NETWORK_ALREADY_HAS_IPV4_CIDR", { path: "cidrs[1]" });
    const network = { ...body, cidr: cidrs?.[0] };
    return answering(
      await createNetwork(ctx, tx, { person, now, network, cidrPath: "cidrs[0]" }),
      toNetworkV2,
    );
  });
  routes.write(contract.updateNetwork, async ({ person, params, body }, tx) => {
    const change = { ...body, disableManagedLighthouses: undefined };
    return answering(await updateNetwork(tx, { person, id: params.networkID, change }), toNetwork);
  });
  routes.write(contract.updateNetworkV2, async ({ person, params, body }, tx) =>
    answering(await updateNetwork(tx, { person, id: params.networkID, change: body }), toNetworkV2),
  );
  routes.write(contract.deleteNetwork, ({ person, params }, tx) =>
    deleteNetwork(tx, { person, id: params.networkID }),
  );
  routes.write(contract.addNetworkCidr, async ({ person, params, body }, tx) =>
    answering(await addCidr(tx, { person, id: params.networkID, cidr: body.cidr }), toNetworkV2),
  );
}
