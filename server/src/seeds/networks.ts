import { formatIpv4, parseCidr } from "@lightkeeper/nebula";
import { createSigningCa } from "../nouns/certificate-authorities/certificate-authorities.service.ts";
import type { Context } from "../infrastructure/context/context.ts";
import type { Writer } from "../infrastructure/db/client.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import { insertRows } from "./rows.ts";

export type NetworkKey = "production" | "corporate" | "staging";

interface NetworkSeed {
  key: NetworkKey;
  name: string;
  description: string;
  cidr: string;
  /** For organizations that are too large for `cidr`. */
  largeCidr: string;
  /** Cumulative share of all hosts. */
  shareUpTo: number;
  lighthousesAsRelays: boolean;
}

export const NETWORKS: NetworkSeed[] = [
  {
    key: "production",
    name: "Production",
    description: "Customer-facing services",
    cidr: "10.10.0.0/16",
    largeCidr: "10.0.0.0/9",
    shareUpTo: 0.5,
    lighthousesAsRelays: false,
  },
  {
    key: "corporate",
    name: "Corporate",
    description: "Employee devices and offices",
    cidr: "10.20.0.0/16",
    largeCidr: "10.128.0.0/10",
    shareUpTo: 0.8,
    lighthousesAsRelays: true,
  },
  {
    key: "staging",
    name: "Staging",
    description: "Staging environment and edge devices",
    cidr: "10.30.0.0/16",
    largeCidr: "10.192.0.0/10",
    shareUpTo: 1,
    lighthousesAsRelays: false,
  },
];

const SMALL_HOSTS_MAX = 50_000;

export interface PlannedNetwork extends Omit<NetworkSeed, "largeCidr" | "shareUpTo"> {
  id: string;
  caID: string;
  /** Network address as a number; host addresses follow without gaps. */
  base: number;
  hosts: number;
  order: number;
}

export function planNetworks(ids: Random, hosts: number): PlannedNetwork[] {
  let before = 0;
  return NETWORKS.map(({ largeCidr, shareUpTo, ...seed }, order) => {
    const cidr = hosts > SMALL_HOSTS_MAX ? largeCidr : seed.cidr;
    const base = parseCidr(cidr)?.address;
    if (base === undefined) throw new Error(`${cidr} is not a CIDR`);
    const upTo = Math.round(hosts * shareUpTo);
    const count = upTo - before;
    before = upTo;
    return { ...seed, cidr, base, hosts: count, order, id: ids.id("network"), caID: ids.id("ca") };
  });
}

/** Creates a real CA. Its key doesn't depend on the seed, so that nobody can guess it. */
export async function insertNetwork(
  ctx: Context,
  tx: Writer,
  plan: Plan,
  network: PlannedNetwork,
): Promise<void> {
  const row = {
    id: network.id,
    organization_id: plan.organizationID,
    name: network.name,
    description: network.description,
    cidr: network.cidr,
    curve: "25519",
    cert_version: 1,
    signing_ca_id: network.caID,
    lighthouses_as_relays: network.lighthousesAsRelays,
    disable_managed_lighthouses: false,
    next_address: formatIpv4(network.base + network.hosts + 1),
    host_count: 0,
    revision: 0,
    created_at: minutesAfterStart(plan, network.order),
  } as const;
  await insertRows(tx, "networks", [row]);
  const { entries } = await createSigningCa(ctx, tx, { network: row, now: row.created_at });
  const after = {
    name: row.name,
    description: row.description,
    cidrs: [row.cidr],
    certVersion: row.cert_version,
    curve: row.curve,
    lighthousesAsRelays: row.lighthouses_as_relays,
    disableManagedLighthouses: row.disable_managed_lighthouses,
  };
  const target = { type: "network", id: row.id } as const;
  plan.history.add(row.created_at, { target, event: "CREATED", before: null, after });
  for (const entry of entries) plan.history.add(row.created_at, entry);
}
