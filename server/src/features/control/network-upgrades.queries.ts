import { type RawBuilder, type Selectable, sql } from "kysely";
import { oldestNebulaVersion } from "@lightkeeper/nebula";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { listIncompleteHosts, NEBULA_VERSION, runsSentConfig } from "./waiting-hosts.queries.ts";

export type UpgradeRow = Selectable<Tables["network_upgrades"]>;

export function findUpgrade(db: Reader, networkID: string): Promise<UpgradeRow | undefined> {
  return db.selectFrom("network_upgrades").selectAll().where("network_id", "=", networkID).executeTakeFirst();
}

export function listOpenUpgrades(db: Reader): Promise<UpgradeRow[]> {
  return db.selectFrom("network_upgrades").selectAll().where("step", "!=", "DONE").execute();
}

/** The numbers of the oldest version of Nebula with version 2 certificates. */
const OLDEST = oldestNebulaVersion({ certVersion: 2, curve: "25519" })?.split(".").map(Number);

const hasSupportedNebula = sql`
  (regexp_match(${NEBULA_VERSION}, '^v?(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?'))::int[] >= ${OLDEST}::int[]`;

function hasCompletedStep({ step, step_revision, is_reverting, new_ca_id }: UpgradeRow): RawBuilder<unknown> {
  const hasConfig = sql`used.revision >= ${step_revision}`;
  switch (step) {
    case "NEBULA":
      return hasSupportedNebula;
    case "TRUST":
      return is_reverting ? runsConfig(sql`certificate.second_ca_id is null`) : runsConfig(hasConfig);
    case "BOTH":
      return runsConfig(is_reverting ? hasConfig : sql`certificate.second_ca_id = ${new_ca_id}`);
    case "INITIATE":
      return runsConfig(hasConfig);
    default:
      return runsConfig(sql`certificate.ca_id = ${new_ca_id}`);
  }
}

const runsConfig = (condition: RawBuilder<unknown>) => sql`(${condition} and ${runsSentConfig})`;

/** The hosts that the step waits for. */
export const waitingHosts = (db: Reader, upgrade: UpgradeRow, now: Date) =>
  listIncompleteHosts(
    db,
    {
      networkID: upgrade.network_id,
      isCompleted: hasCompletedStep(upgrade),
      isRequired: sql`(not ${upgrade.is_forced} or (hosts.is_online and report.host_id is not null))`,
    },
    now,
  );
