/** The hosts that a step of a rotation or of an upgrade waits for. */
import type { NetworkUpgrade } from "@lightkeeper/contract";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { clampToNow } from "../../infrastructure/time/clock.ts";

/** For an agent that never reports, using the credentials is enough. */
export const runsSentConfig = sql<boolean>`(report.host_id is null
  or (report.config_hash = used.sent_hash and report.error is null))`;

/** A step of a change that every host of a network has to complete. */
export interface HostStep {
  networkID: string;
  /** The condition that a host has completed the step. */
  isCompleted: RawBuilder<unknown>;
  /** The condition that the step waits for a host that hasn't completed it. */
  isRequired: RawBuilder<unknown>;
}

/** A host with an expired certificate gets a new one when it calls again. */
export const listIncompleteHosts = (db: Reader, step: HostStep, now: Date) =>
  db
    .selectFrom("hosts")
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("host_credentials")
          .select(["certificate", "sent_hash", "revision", "nebula_version"])
          .whereRef("host_credentials.host_id", "=", "hosts.id")
          .orderBy("counter")
          .limit(1)
          .as("used"),
      (join) => join.onTrue(),
    )
    .innerJoin("host_certificates as certificate", "certificate.fingerprint", "used.certificate")
    .leftJoin("host_reports as report", "report.host_id", "hosts.id")
    .where("hosts.network_id", "=", step.networkID)
    .where("hosts.is_blocked", "=", false)
    .where("certificate.not_after", ">", now)
    .where(sql<boolean>`not coalesce(${step.isCompleted}, false)`)
    .where(sql<boolean>`${step.isRequired}`);

/** The version that the host reports, or that its agent had when it fetched its configuration. */
export const NEBULA_VERSION = sql<string | null>`coalesce(report.nebula_version, used.nebula_version)`;

type WaitingFor = NetworkUpgrade["waitingFor"];

export const NO_HOSTS: WaitingFor = { hostCount: 0, hosts: [] };

const SHOWN_HOSTS_MAX = 100;

export async function readWaitingHosts(
  waiting: ReturnType<typeof listIncompleteHosts>,
  now: Date,
): Promise<WaitingFor> {
  const { count } = await waiting
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const hosts = await waiting
    .select([
      "hosts.id",
      "hosts.name",
      "hosts.is_online",
      "host_presence.last_seen_at",
      NEBULA_VERSION.as("nebula_version"),
    ])
    .orderBy("hosts.name_key")
    .limit(SHOWN_HOSTS_MAX)
    .execute();
  return {
    hostCount: count,
    hosts: hosts.map(({ id, name, is_online, last_seen_at, nebula_version }) => ({
      id,
      name,
      isOnline: is_online,
      lastSeenAt: last_seen_at instanceof Date ? clampToNow(last_seen_at, now).toISOString() : null,
      nebulaVersion: nebula_version,
    })),
  };
}
