/** The configuration that a host should run, and the one that it reports. */
import type { HostState } from "@lightkeeper/contract";
import { parseIpv4, renderConfig } from "@lightkeeper/nebula";
import type { Context } from "../../infrastructure/context/context.ts";
import { type DesiredState, desiredState } from "./compile.ts";
import { toCompiledHost } from "../agents/compiled-host.ts";
import { findHostsAt, findHostState, type HostStateRow } from "./host-state.queries.ts";
import type { Snapshots } from "./snapshots.ts";

/** A host reports the hash with the certificate; the server stores what it sent without the certificate. */
function runningState(row: HostStateRow, { configHash }: DesiredState) {
  const runsSentConfig = row.reported_hash !== null && row.reported_hash === row.sent_hash;
  const runningHash = runsSentConfig ? row.sent_config_hash : row.reported_hash;
  const isKnownAndDifferent = runsSentConfig && runningHash !== configHash;
  return { runningHash, runningConfig: isKnownAndDifferent ? row.sent_config : null };
}

function certificateOf(row: HostStateRow): HostState["certificate"] {
  const { fingerprint, ca_id, groups, not_before, not_after } = row;
  if (fingerprint === null || ca_id === null || not_before === null || not_after === null) return null;
  return {
    fingerprint,
    notBefore: not_before.toISOString(),
    notAfter: not_after.toISOString(),
    certificateAuthorityID: ca_id,
    groups,
  };
}

async function tunnelsOf(db: Context["reader"], row: HostStateRow): Promise<HostState["tunnels"]> {
  const addresses = (row.tunnels ?? []).map(({ vpnIp }) => vpnIp);
  const valid = addresses.filter((address) => parseIpv4(address) !== undefined);
  const hosts = await findHostsAt(db, row.network_id, valid);
  return addresses.map((vpnIp) => {
    const host = hosts.get(vpnIp);
    return { vpnIp, ...(host && { hostID: host.id, hostName: host.name }) };
  });
}

export interface FindHostState {
  organizationID: string;
  hostID: string;
}

/** Undefined if the host doesn't exist. */
export function createHostStates(ctx: Context, snapshots: Snapshots) {
  return async ({ organizationID, hostID }: FindHostState): Promise<HostState | undefined> => {
    const row = await findHostState(ctx.reader, organizationID, hostID);
    const snapshot = row && (await snapshots.get(row.network_id, row.revision));
    if (!snapshot) return undefined;
    const nebulaVersion = row.nebula_version ?? row.sent_nebula_version;
    const desired = desiredState(snapshot, toCompiledHost(row), nebulaVersion ?? undefined);
    const { omitted } = renderConfig(desired.input);
    return {
      hostID: row.id,
      config: desired.yaml,
      intendedHash: desired.configHash,
      ...runningState(row, desired),
      isDrifted: row.is_drifted,
      reportedAt: row.reported_at?.toISOString() ?? null,
      appliedAt: row.applied_at?.toISOString() ?? null,
      error: row.error,
      nebulaVersion,
      certificate: certificateOf(row),
      tunnels: await tunnelsOf(ctx.reader, row),
      omitted: [...omitted],
      wider: [...desired.wider],
    };
  };
}
