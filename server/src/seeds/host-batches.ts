import type { AuditActor } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Writer } from "../infrastructure/db/client.ts";
import { generateHosts, type SeedHost } from "./hosts.ts";
import type { PlannedNetwork } from "./networks.ts";
import type { Plan } from "./plan.ts";
import type { RoleIDs } from "./roles.ts";
import { insertRows } from "./rows.ts";
import { createRecentHistory } from "./recent-history.ts";

const BATCH = 5000;

interface HostsInput {
  hosts: number;
  networks: readonly PlannedNetwork[];
  roleIDs: RoleIDs;
  newest: string;
  /** The actor that created most of the latest hosts. */
  key: AuditActor;
}

/** Generates and inserts hosts in batches. Returns router IDs by network and name. */
export async function insertHosts(
  tx: Writer,
  plan: Plan,
  { key, networks, roleIDs, ...input }: HostsInput,
): Promise<Map<string, string>> {
  const lighthouse = await findLighthouseRole(tx, plan.organizationID);
  const recorder = createRecentHistory(plan.now);
  const routerIDs = new Map<string, string>();
  const keyOf = new Map(networks.map((network) => [network.id, network.key]));
  let batch: SeedHost[] = [];
  for (const host of generateHosts({ ...plan, ...input, networks, roleIDs: { ...roleIDs, lighthouse } })) {
    recorder.addHost(host);
    const { network_id, name, id } = host.row;
    if (host.isRouter) routerIDs.set(`${keyOf.get(network_id)}/${name}`, id);
    batch.push(host);
    if (batch.length < BATCH) continue;
    await insertBatch(tx, batch);
    batch = [];
  }
  await insertBatch(tx, batch);
  recorder.write(plan.history, key);
  return routerIDs;
}

async function findLighthouseRole(tx: Writer, organizationID: string): Promise<string | null> {
  const role = await tx
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("name", "=", "Lighthouse")
    .executeTakeFirst();
  return role?.id ?? null;
}

/** Triggers insert tags, counts and presence; only the time of last contact is missing. */
async function insertBatch(tx: Writer, batch: readonly SeedHost[]): Promise<void> {
  await insertRows(
    tx,
    "hosts",
    batch.map(({ row }) => row),
  );
  const seen = batch.flatMap(({ row, lastSeenAt }) =>
    lastSeenAt ? [{ host_id: row.id, last_seen_at: lastSeenAt }] : [],
  );
  await sql`
    update host_presence set last_seen_at = seen.last_seen_at
      from json_populate_recordset(null::host_presence, ${JSON.stringify(seen)}) seen
      where host_presence.host_id = seen.host_id`.execute(tx);
}
