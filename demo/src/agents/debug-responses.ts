/** The responses of simulated hosts to the debug commands of the console, in the shapes of the public API. */
import type { AgentAction, ReportStatus } from "@lightkeeper/contract/agent";
import { type Cidr, decodeCertificateV1, decodePem, formatIpv4 } from "@lightkeeper/nebula";
import { fractionOf } from "../fraction.ts";

export const DEBUG_COMMANDS = [
  "StreamLogs",
  "CreateTunnel",
  "PrintTunnel",
  "PrintCert",
  "QueryLighthouse",
  "DebugStack",
];

type Tunnel = NonNullable<ReportStatus["tunnels"]>[number];

/** A host as the debug commands see it. */
export interface DebuggedHost {
  name: string;
  address: string;
  /** PEM. */
  certificate: string;
  fingerprint: string;
}

export interface DebugView {
  self: DebuggedHost;
  tunnels: readonly Tunnel[];
  /** The host with this overlay address, if it is running. */
  findHost: (address: string) => (DebuggedHost & { endpoint: string }) | undefined;
  /** The overlay addresses of the running lighthouses. */
  lighthouses: readonly string[];
  /** Opens a tunnel; false if the hosts can't connect. */
  openTunnel: (address: string) => boolean;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const formatCidr = ({ address, prefixLength }: Cidr) => `${formatIpv4(address)}/${prefixLength}`;

function describeCertificate({ certificate, fingerprint }: DebuggedHost): object {
  const { details, signature } = decodeCertificateV1(decodePem("NEBULA CERTIFICATE", certificate));
  return {
    details: {
      name: details.name,
      ips: details.networks.map(formatCidr),
      subnets: details.unsafeNetworks.map(formatCidr),
      groups: details.groups,
      notBefore: details.notBefore.toISOString(),
      notAfter: details.notAfter.toISOString(),
      publicKey: hex(details.publicKey),
      isCa: false,
      issuer: details.issuer,
      curve: "CURVE25519",
    },
    fingerprint,
    signature: hex(signature),
  };
}

function toAddress(endpoint: string | null | undefined): { ip: string; port: number } | null {
  const [ip, port] = endpoint?.split(":") ?? [];
  return ip === undefined ? null : { ip, port: Number(port) };
}

const indexOf = (text: string) => Math.floor(fractionOf(text) * 2 ** 32);

function printTunnel({ self, tunnels, findHost }: DebugView, target: string): unknown {
  const tunnel = tunnels.find(({ vpnIp }) => vpnIp === target);
  const peer = findHost(target);
  if (!tunnel || !peer) return `Could not find tunnel for vpn ip: ${target}`;
  const currentRemote = toAddress(tunnel.remoteAddress);
  return {
    vpnIp: target,
    localIndex: indexOf(`${self.address} ${target}`),
    remoteIndex: indexOf(`${target} ${self.address}`),
    remoteAddrs: [toAddress(peer.endpoint)],
    cachedPackets: 0,
    cert: describeCertificate(peer),
    messageCounter: indexOf(`messages ${self.address} ${target}`) % 100_000,
    currentRemote,
    currentRelaysToMe: tunnel.relays ?? [],
    currentRelaysThroughMe: [],
  };
}

function queryLighthouses({ findHost, lighthouses }: DebugView, target: string): unknown {
  const host = findHost(target);
  const learned = host ? [toAddress(host.endpoint)] : [];
  return Object.fromEntries(
    lighthouses.map((address) => [address, { learned, reported: learned, relay: [] }]),
  );
}

const THREADS = ["main", "tun reader", "udp reader", "connection manager", "handshakes", "lighthouse"];

const describeThreads = ({ self }: DebugView) =>
  [
    `nebula, process ${1000 + (indexOf(self.name) % 30_000)}, ${THREADS.length} threads`,
    ...THREADS.map((name, index) => `thread ${index + 1} ${name}: S (sleeping), in futex_wait_queue`),
  ].join("\n");

function createTunnel({ tunnels, openTunnel }: DebugView, target: string): string {
  if (tunnels.some(({ vpnIp }) => vpnIp === target)) return "Tunnel already exists";
  return openTunnel(target) ? "Created" : `Could not create a tunnel to ${target}`;
}

/** The response to every command except StreamLogs. */
export function respondTo({ command, args }: AgentAction, view: DebugView): unknown {
  const target = typeof args?.target === "string" ? args.target : "";
  if (command === "DebugStack") return describeThreads(view);
  if (command === "PrintTunnel") return printTunnel(view, target);
  if (command === "QueryLighthouse") return queryLighthouses(view, target);
  if (command === "CreateTunnel") return createTunnel(view, target);
  const host = target === view.self.address ? view.self : view.findHost(target);
  return host ? describeCertificate(host) : `Could not find tunnel for vpn ip: ${target}`;
}

/** The log of the last minutes: a simulated host has no nebula that writes more. */
export function describeLog({ self, tunnels }: DebugView, nowMs: number): string {
  const lines = tunnels.map((tunnel, index) => ({
    level: "info",
    msg: "Handshake message received",
    vpnIp: tunnel.vpnIp,
    udpAddr: tunnel.remoteAddress ?? `relayed by ${tunnel.relays?.[0]}`,
    time: new Date(nowMs - (tunnels.length - index) * 7000).toISOString(),
  }));
  const first = {
    level: "info",
    msg: "Log streaming session started",
    host: self.name,
    time: new Date(nowMs).toISOString(),
  };
  return [first, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}
