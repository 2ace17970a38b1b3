/** The configuration that a host should run, and the one that it reports. */
import type { HostState, Tunnel } from "@lightkeeper/contract";
import type { ReportedTunnel } from "@lightkeeper/contract/agent";
import { type ConfigInput, parseIp, renderConfig } from "@lightkeeper/nebula";
import type { Context } from "../../infrastructure/context/context.ts";
import { type DesiredState, desiredState } from "./compile.ts";
import { toCompiledHost } from "../agents/compiled-host.ts";
import { describeRules, describeRoutes, type HostAt } from "./host-rules.ts";
import {
  findEndpoints,
  findHostsAt,
  findHostState,
  findNames,
  type HostStateRow,
} from "./host-state.queries.ts";
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

const pathOf = ({ remoteAddress, relays }: ReportedTunnel): Tunnel["path"] => {
  if (typeof remoteAddress === "string") return "direct";
  return relays !== undefined && relays.length > 0 ? "relayed" : null;
};

/** Finds the host of the network at an overlay address. */
async function createHostFinder(
  db: Context["reader"],
  row: HostStateRow,
  { routesSubscribed }: ConfigInput,
): Promise<HostAt> {
  const tunnels = (row.tunnels ?? []).flatMap(({ vpnIp, relays = [] }) => [vpnIp, ...relays]);
  const routers = routesSubscribed.flatMap(({ routerAddresses }) => routerAddresses);
  const valid = [...new Set([...tunnels, ...routers])].filter((address) => parseIp(address) !== undefined);
  const hosts = await findHostsAt(db, row.network_id, valid);
  return (vpnIp) => {
    const host = hosts.get(vpnIp);
    return { vpnIp, ...(host && { hostID: host.id, hostName: host.name }) };
  };
}

const tunnelsOf = (row: HostStateRow, hostAt: HostAt): Tunnel[] =>
  (row.tunnels ?? []).map((tunnel) => ({
    ...hostAt(tunnel.vpnIp),
    path: pathOf(tunnel),
    remoteAddress: tunnel.remoteAddress ?? null,
    relays: (tunnel.relays ?? []).map(hostAt),
    handshakeAt: tunnel.handshakeAt ?? null,
    latencyMs: tunnel.latencyMs ?? null,
  }));

const systemOf = ({ system }: HostStateRow): HostState["system"] =>
  system && { os: system.os, kernel: system.kernel ?? null, arch: system.arch };

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
    const host = toCompiledHost(row);
    const desired = desiredState(snapshot, host, nebulaVersion ?? undefined);
    const { omitted } = renderConfig(desired.input);
    const hostAt = await createHostFinder(ctx.reader, row, desired.input);
    const names = await findNames(ctx.reader, organizationID);
    const tunnels = tunnelsOf(row, hostAt);
    const peerIDs = tunnels.flatMap((tunnel) => tunnel.hostID ?? []);
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
      tunnels,
      system: systemOf(row),
      publicEndpoints: await findEndpoints(ctx.reader, peerIDs, host.addresses),
      rules: describeRules(snapshot, host, desired.input, names),
      ...describeRoutes(snapshot, desired.input, { names, hostAt }),
      omitted: [...omitted],
      wider: [...desired.wider],
    };
  };
}
