import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { listIncompleteHosts, runsSentConfig } from "./waiting-hosts.queries.ts";

export type RotationRow = Selectable<Tables["ca_rotations"]>;

export function findRotation(db: Reader, networkID: string): Promise<RotationRow | undefined> {
  return db.selectFrom("ca_rotations").selectAll().where("network_id", "=", networkID).executeTakeFirst();
}

export function listOpenRotations(db: Reader): Promise<RotationRow[]> {
  return db.selectFrom("ca_rotations").selectAll().where("step", "!=", "DONE").execute();
}

export function findNetwork(db: Reader, organizationID: string, id: string) {
  return db
    .selectFrom("networks")
    .select(["id", "organization_id", "curve", "cert_version", "signing_ca_id"])
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Whether the network is being upgraded to version 2 certificates, which replaces its CA. */
export async function isUpgraded(db: Reader, networkID: string): Promise<boolean> {
  const upgrade = await db
    .selectFrom("network_upgrades")
    .select("network_id")
    .where("network_id", "=", networkID)
    .where("step", "!=", "DONE")
    .executeTakeFirst();
  return upgrade !== undefined;
}

/** Networks whose CA expires before this time, without a rotation or an upgrade in progress. */
export function listDueNetworks(db: Reader, expiresBefore: Date) {
  return db
    .selectFrom("networks")
    .innerJoin("certificate_authorities as signing", "signing.id", "networks.signing_ca_id")
    .leftJoin("ca_rotations", "ca_rotations.network_id", "networks.id")
    .select(["networks.id", "networks.organization_id"])
    .where("signing.not_after", "<", expiresBefore)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("network_upgrades")
            .select("network_upgrades.network_id")
            .whereRef("network_upgrades.network_id", "=", "networks.id")
            .where("network_upgrades.step", "!=", "DONE"),
        ),
      ),
    )
    .where((eb) => eb.or([eb("ca_rotations.step", "is", null), eb("ca_rotations.step", "=", "DONE")]))
    .execute();
}

/** The condition that a host has completed the step. */
const hasCompletedStep = (rotation: RotationRow) =>
  rotation.step === "TRUST"
    ? sql`used.revision >= ${rotation.step_revision}`
    : sql`certificate.ca_id = ${rotation.new_ca_id}`;

/** The hosts that the step waits for. */
export const waitingHosts = (db: Reader, rotation: RotationRow, now: Date) =>
  listIncompleteHosts(
    db,
    {
      networkID: rotation.network_id,
      isCompleted: sql`(${hasCompletedStep(rotation)} and ${runsSentConfig})`,
      isRequired: sql`(hosts.is_online or not ${rotation.is_forced})`,
    },
    now,
  );

/** Whether a host has replaced a certificate of the old CA since this time. */
export async function hasReplacedSince(
  db: Reader,
  { old_ca_id }: Pick<RotationRow, "old_ca_id">,
  since: Date,
): Promise<boolean> {
  const replaced = await db
    .selectFrom("host_certificates")
    .select("fingerprint")
    .where("ca_id", "=", old_ca_id)
    .where("superseded_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  return replaced !== undefined;
}
