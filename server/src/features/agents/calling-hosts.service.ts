/** A calling host, with everything that its desired state and its credentials depend on. */
import { type ExpressionBuilder, sql } from "kysely";
import { AGENT_SPACING_MS, createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { prepareQuery } from "../../infrastructure/db/prepared-query.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { COMPILED_HOST_COLUMNS, type CompiledHost, toCompiledHost } from "./compiled-host.ts";

export interface CallingHost extends CompiledHost {
  organizationID: string;
  networkID: string;
  /** The current revision of the network. */
  networkRevision: number;
  /** The user of a device, and when the sign-in expires; null for other hosts. */
  endpointUserID: string | null;
  endpointExpiresAt: Date | null;
  counter: number;
  signingKey: Uint8Array;
  /** Whether older credentials exist, which these replace. */
  isPending: boolean;
  configHash: string;
  sentHash: string;
  /** The network's revision when the configuration was rendered. */
  revision: number;
  /** Undefined if it expired so long ago that it was deleted. */
  certificate:
    | {
        fingerprint: string;
        caID: string;
        /** The CA of the version 2 certificate beside it; null if there is none. */
        secondCaID: string | null;
        identityHash: string;
        notBefore: Date;
        notAfter: Date;
      }
    | undefined;
  hasCommand: boolean;
  presence: {
    isOnline: boolean;
    isDrifted: boolean;
    agentName: string | null;
    agentVersion: string | null;
    lastSeenAt: Date | number;
  };
  /** The position in the change feed before the row was read: if no change has arrived since, the row is current. */
  readAt: number;
}

export interface Generation {
  hostID: string;
  counter: number;
}

/** Finds the host with these credentials; undefined if they are no longer valid. */
export type FindCallingHost = (generation: Generation) => Promise<CallingHost | undefined>;

const BATCH_SIZE = 500;
const keyOf = ({ hostID, counter }: Generation) => `${hostID} ${counter}`;

export function createCallingHostFinder({
  reader,
  changes,
}: Pick<Context, "reader" | "changes">): FindCallingHost {
  // Without keys: anyone can send a host's id and counter, and the host's own messages must not queue behind them.
  return createBatch({
    max: BATCH_SIZE,
    spacingMs: AGENT_SPACING_MS,
    work: async (generations: Generation[]) => {
      const distinct = new Map(generations.map((generation) => [keyOf(generation), generation]));
      const found = await findCallingHosts(reader, [...distinct.values()], changes.position);
      const hosts = new Map(found.map((host) => [keyOf({ ...host, hostID: host.id }), host]));
      return generations.map((generation) => hosts.get(keyOf(generation)));
    },
  });
}

interface RequestedGeneration {
  host_id: string;
  counter: number;
}

const callingHosts = (eb: ExpressionBuilder<Tables & { requested: RequestedGeneration }, "requested">) =>
  eb
    .selectFrom("host_credentials as used")
    .innerJoin("hosts", "hosts.id", "used.host_id")
    .innerJoin("networks", "networks.id", "hosts.network_id")
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .leftJoin("host_certificates", "host_certificates.fingerprint", "used.certificate")
    .select((of) => [
      ...COMPILED_HOST_COLUMNS,
      "hosts.organization_id",
      "hosts.network_id",
      "networks.revision as network_revision",
      "hosts.endpoint_oidc_user_id",
      "hosts.endpoint_expires_at",
      "hosts.is_online",
      "hosts.is_drifted",
      "hosts.agent_name",
      "hosts.agent_version",
      "host_presence.last_seen_at",
      "used.counter",
      "used.signing_key",
      "used.config_hash",
      "used.sent_hash",
      "used.revision",
      "host_certificates.fingerprint",
      "host_certificates.ca_id",
      "host_certificates.second_ca_id",
      "host_certificates.identity_hash",
      "host_certificates.not_before",
      "host_certificates.not_after",
      of
        .exists(
          of
            .selectFrom("host_credentials as older")
            .select("older.host_id")
            .whereRef("older.host_id", "=", "used.host_id")
            .whereRef("older.counter", "<", "used.counter"),
        )
        .as("is_pending"),
      of
        .exists(
          of
            .selectFrom("host_commands")
            .select("token")
            .whereRef("host_commands.host_id", "=", "hosts.id")
            .where("host_commands.state", "=", "queued"),
        )
        .as("has_command"),
    ])
    .where("hosts.is_blocked", "=", false);

const selectCallingHosts = prepareQuery((db, { ids, counters }: { ids: string[]; counters: number[] }) =>
  db
    .selectFrom(
      sql<RequestedGeneration>`(select * from unnest(${ids}::text[], ${counters}::integer[]) as requested (host_id, counter))`.as(
        "requested",
      ),
    )
    // A lateral join reads only the rows of these hosts, however many there are.
    .innerJoinLateral(
      (eb) =>
        callingHosts(eb)
          .whereRef("used.host_id", "=", "requested.host_id")
          .whereRef("used.counter", "=", "requested.counter")
          .limit(1)
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
);

/** Omits credentials that are no longer valid, and hosts that are blocked or deleted. */
export async function findCallingHosts(
  db: Reader,
  generations: readonly Generation[],
  readAt: number,
): Promise<CallingHost[]> {
  if (generations.length === 0) return [];
  const rows = await selectCallingHosts(db, {
    ids: generations.map(({ hostID }) => hostID),
    counters: generations.map(({ counter }) => counter),
  });
  return rows.map((row) => ({
    organizationID: row.organization_id,
    networkID: row.network_id,
    networkRevision: row.network_revision,
    endpointUserID: row.endpoint_oidc_user_id,
    endpointExpiresAt: row.endpoint_expires_at,
    counter: row.counter,
    // A copy, because a small Buffer keeps the 8 KiB in memory that it shares with others.
    signingKey: Uint8Array.from(row.signing_key),
    isPending: Boolean(row.is_pending),
    configHash: row.config_hash,
    sentHash: row.sent_hash,
    revision: row.revision,
    certificate: certificateOf(row),
    hasCommand: Boolean(row.has_command),
    presence: {
      isOnline: row.is_online,
      isDrifted: row.is_drifted,
      agentName: row.agent_name,
      agentVersion: row.agent_version,
      lastSeenAt: row.last_seen_at,
    },
    readAt,
    // At the end: an object is built slowly if a spread comes before other properties.
    ...toCompiledHost(row),
  }));
}

interface CertificateRow {
  fingerprint: string | null;
  ca_id: string | null;
  second_ca_id: string | null;
  identity_hash: string | null;
  not_before: Date | null;
  not_after: Date | null;
}

function certificateOf(row: CertificateRow): CallingHost["certificate"] {
  const { fingerprint, ca_id, identity_hash, not_before, not_after } = row;
  if (!fingerprint || !ca_id || !identity_hash || !not_before || !not_after) return undefined;
  return {
    fingerprint,
    caID: ca_id,
    secondCaID: row.second_ca_id,
    identityHash: identity_hash,
    notBefore: not_before,
    notAfter: not_after,
  };
}
