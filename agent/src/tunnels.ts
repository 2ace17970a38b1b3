/** The tunnels of nebula, with their paths. */
import { TUNNEL_RELAYS_MAX } from "@lightkeeper/contract/agent";
import type { ReportedTunnel } from "@lightkeeper/contract/agent";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import { formatAddress } from "./handshakes.ts";
import type { Handshake, Handshakes } from "./handshakes.ts";

const TUNNELS_MAX = 500;

/** "100.100.0.1: [192.0.2.1:4242]"; since 1.10 "[100.100.0.1 fd00::1]: [192.0.2.1:4242]". */
const TUNNEL_LINE = /^\[?([0-9a-f.:]+?)(?:[\s\]]|: )/;

interface TunnelSource {
  readonly handshakes: Pick<Handshakes, "find">;
  runConsoleCommand(command: string): Promise<string>;
}

type Path = Pick<ReportedTunnel, "remoteAddress" | "relays">;

/**
 * Only JSON has the paths. It has a kilobyte per tunnel, so a host with more tunnels than it reports, such as a busy
 * lighthouse, reports the address of the last handshake instead.
 */
export async function listTunnels(nebula: TunnelSource): Promise<ReportedTunnel[]> {
  const addresses = readAddresses(await nebula.runConsoleCommand("list-hostmap"));
  const paths = addresses.length > TUNNELS_MAX ? new Map<string, Path>() : await readPaths(nebula);
  return addresses.slice(0, TUNNELS_MAX).map((vpnIp) => {
    const handshake = nebula.handshakes.find(vpnIp);
    return {
      vpnIp,
      ...(paths.get(vpnIp) ?? pathAtHandshake(handshake)),
      handshakeAt: handshake?.handshakeAt ?? null,
      latencyMs: handshake?.latencyMs ?? null,
    };
  });
}

/** The first overlay address of each tunnel. Nebula lists a tunnel once for each of its overlay addresses. */
function readAddresses(output: string): string[] {
  const addresses = output.split("\n").flatMap((line) => TUNNEL_LINE.exec(line)?.[1] ?? []);
  return [...new Set(addresses)];
}

const pathAtHandshake = (handshake: Handshake | undefined): Partial<Path> =>
  typeof handshake?.remoteAddress === "string" ? { remoteAddress: handshake.remoteAddress, relays: [] } : {};

/** By overlay address. Empty if nebula can't print them: which tunnels are open is reported anyway. */
async function readPaths(nebula: TunnelSource): Promise<Map<string, Path>> {
  try {
    const hosts: unknown = JSON.parse(await nebula.runConsoleCommand("list-hostmap -json"));
    return new Map(
      (Array.isArray(hosts) ? hosts : []).filter(isMap).map((host) => [readVpnIp(host), readPath(host)]),
    );
  } catch {
    return new Map();
  }
}

/** A tunnel that was relayed before keeps its relays when it becomes direct. */
function readPath({ currentRemote, currentRelaysToMe }: ConfigMap): Path {
  const remoteAddress = formatAddress(currentRemote);
  const relays = remoteAddress === null && Array.isArray(currentRelaysToMe) ? currentRelaysToMe : [];
  return { remoteAddress, relays: relays.map(String).slice(0, TUNNEL_RELAYS_MAX) };
}

/** Since 1.10, a tunnel has a list of overlay addresses. */
export function readVpnIp({ vpnIp, vpnAddrs }: ConfigMap): string {
  const [first] = Array.isArray(vpnAddrs) ? vpnAddrs : [];
  return String(vpnIp ?? first ?? "");
}
