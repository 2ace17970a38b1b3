/** The tunnels of nebula, with their paths. */
import { TUNNEL_RELAYS_MAX } from "@lightkeeper/contract/agent";
import type { ReportedTunnel } from "@lightkeeper/contract/agent";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import type { DebugTarget } from "./debug-commands.ts";
import { formatAddress } from "./handshakes.ts";
import type { Handshakes } from "./handshakes.ts";

const TUNNELS_MAX = 500;

/** "100.100.0.1: [192.0.2.1:4242]"; since 1.10 "[100.100.0.1 fd00::1]: [192.0.2.1:4242]". */
const TUNNEL_LINE = /^\[?([0-9a-f.:]+?)(?:[\s\]]|: )/;

/**
 * Only JSON has the paths. It has a kilobyte per tunnel, so a host with more tunnels than it reports, such as a busy
 * lighthouse, reports the address of the last handshake instead.
 */
export async function listTunnels(
  nebula: Pick<DebugTarget, "runConsoleCommand">,
  handshakes: Pick<Handshakes, "find">,
): Promise<ReportedTunnel[]> {
  const addresses = readAddresses(await nebula.runConsoleCommand("list-hostmap"));
  const tunnels =
    addresses.length > TUNNELS_MAX
      ? addresses.slice(0, TUNNELS_MAX).map((vpnIp) => ({ vpnIp, ...pathAtHandshake(handshakes, vpnIp) }))
      : readTunnels(await nebula.runConsoleCommand("list-hostmap -json"));
  return tunnels.map((tunnel) => {
    const { handshakeAt = null, latencyMs = null } = handshakes.find(tunnel.vpnIp) ?? {};
    return { ...tunnel, handshakeAt, latencyMs };
  });
}

function readAddresses(output: string): string[] {
  return output.split("\n").flatMap((line) => TUNNEL_LINE.exec(line)?.[1] ?? []);
}

function pathAtHandshake(handshakes: Pick<Handshakes, "find">, vpnIp: string): Partial<ReportedTunnel> {
  const remoteAddress = handshakes.find(vpnIp)?.remoteAddress;
  return typeof remoteAddress === "string" ? { remoteAddress, relays: [] } : {};
}

function readTunnels(output: string): ReportedTunnel[] {
  const hosts: unknown = JSON.parse(output);
  return Array.isArray(hosts) ? hosts.slice(0, TUNNELS_MAX).flatMap(readTunnel) : [];
}

/** A tunnel that once was relayed keeps its relays when it becomes direct. */
function readTunnel(host: unknown): ReportedTunnel[] {
  if (!isMap(host)) return [];
  const remoteAddress = formatAddress(host.currentRemote);
  const relays =
    remoteAddress === null && Array.isArray(host.currentRelaysToMe) ? host.currentRelaysToMe : [];
  return [{ vpnIp: readVpnIp(host), remoteAddress, relays: relays.map(String).slice(0, TUNNEL_RELAYS_MAX) }];
}

/** Since 1.10, a tunnel has a list of overlay addresses. */
export function readVpnIp({ vpnIp, vpnAddrs }: ConfigMap): string {
  const [first] = Array.isArray(vpnAddrs) ? vpnAddrs : [];
  return String(vpnIp ?? first ?? "");
}
