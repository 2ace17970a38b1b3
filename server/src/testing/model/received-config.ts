/** Reads what an agent received: the parts of the configuration that the model derives, and the certificate. */
import { createHash } from "node:crypto";
import {
  decodeCertificateV1,
  decodeCertificateV2,
  decodePem,
  encodeFingerprintBytesV2,
  formatIp,
  formatIpPrefix,
  splitPemBlocks,
  toIpPrefix,
} from "@lightkeeper/nebula";
import { parse } from "yaml";
import type { ExpectedConfig } from "./state.ts";

interface NebulaConfig {
  pki: { ca: string; blocklist: string[] };
  static_host_map: Record<string, string[]>;
  lighthouse: { am_lighthouse: boolean; hosts: string[]; advertise_addrs?: string[] };
  listen: { port: number };
  relay: { am_relay: boolean; relays: string[] };
  tun: {
    mtu: number;
    unsafe_routes: { route: string; via: string | { gateway: string }[]; install?: false }[];
  };
  firewall: { inbound: NebulaRule[] };
}

interface NebulaRule {
  port: string | number;
  proto: string;
  host?: "any";
  group?: string;
  groups?: string[];
  local_cidr?: string;
}

const describeRule = ({ port, proto, host, group, groups, local_cidr }: NebulaRule): string =>
  [
    proto,
    port,
    host ?? [...(group === undefined ? [] : [group]), ...(groups ?? [])].toSorted().join(),
    local_cidr ?? "",
  ].join(" ");

const describeRoute = ({ route, via, install }: NebulaConfig["tun"]["unsafe_routes"][number]): string => {
  const routers = typeof via === "string" ? [via] : via.map(({ gateway }) => gateway);
  return `${route} via ${routers.toSorted().join()}${install === false ? " not installed" : ""}`;
};

/** The CAs have no IDs in a configuration, so only their number can be compared. */
export type ReceivedConfig = Omit<ExpectedConfig, "trustedCAIDs"> & { trustedCACount: number };

export function readConfig(yaml: string): ReceivedConfig {
  const { pki, lighthouse, listen, relay, tun, firewall, ...config } = parse(yaml) as NebulaConfig;
  return {
    inbound: firewall.inbound.map(describeRule).toSorted(),
    unsafeRoutes: tun.unsafe_routes.map(describeRoute).toSorted(),
    lighthouses: lighthouse.hosts.toSorted(),
    relays: relay.relays.toSorted(),
    staticHostMap: config.static_host_map,
    isLighthouse: lighthouse.am_lighthouse,
    isRelay: relay.am_relay,
    advertised: lighthouse.advertise_addrs ?? [],
    listenPort: listen.port,
    mtu: tun.mtu,
    trustedCACount: splitPemBlocks(pki.ca)?.length ?? 0,
    blocklist: pki.blocklist.toSorted(),
  };
}

export interface ReceivedCertificate {
  fingerprint: string;
  name: string;
  addresses: string[];
  groups: string[];
  subnets: string[];
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function readVersion1(pem: string): ReceivedCertificate {
  const bytes = decodePem("NEBULA CERTIFICATE", pem);
  const { details } = decodeCertificateV1(bytes);
  return {
    fingerprint: hash(bytes),
    name: details.name,
    addresses: details.networks.map((network) => formatIp(toIpPrefix(network).address)),
    groups: details.groups.toSorted(),
    subnets: details.unsafeNetworks.map((subnet) => formatIpPrefix(toIpPrefix(subnet))).toSorted(),
  };
}

function readVersion2(pem: string): ReceivedCertificate {
  const certificate = decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem));
  const { details } = certificate;
  return {
    fingerprint: hash(encodeFingerprintBytesV2(certificate)),
    name: details.name,
    addresses: details.networks.map(({ address }) => formatIp(address)),
    groups: details.groups.toSorted(),
    subnets: details.unsafeNetworks.map(formatIpPrefix).toSorted(),
  };
}

export const readCertificate = (pem: string): ReceivedCertificate =>
  pem.startsWith("-----BEGIN NEBULA CERTIFICATE V2") ? readVersion2(pem) : readVersion1(pem);
