/**
 * What it takes for a running nebula to follow a change. Only what is known to follow SIGHUP is reloaded; for
 * everything else, and for a nebula of unknown version, there is a restart.
 */
import { isDeepStrictEqual } from "node:util";
import {
  compareNebulaVersions,
  decodeCertificateV1,
  decodeCertificateV2,
  decodePem,
  nebulaCapabilities,
  parseNebulaVersion,
} from "@lightkeeper/nebula";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";

/** Followed by every version since 1.6. */
const RELOADED = new Set([
  "firewall",
  "lighthouse.advertise_addrs",
  "lighthouse.hosts",
  "lighthouse.interval",
  "lighthouse.local_allow_list",
  "lighthouse.remote_allow_list",
  "logging",
  "pki.blocklist",
  "pki.ca",
  "relay.relays",
  "sshd",
  "static_host_map",
]);

export type HowToApply = "nothing" | "reload" | "restart";

export function howToApply(version: string | undefined, before: ConfigMap, after: ConfigMap): HowToApply {
  const changed = changedSettings(before, after);
  if (changed.length === 0) return "nothing";
  if (version === undefined || parseNebulaVersion(version) === undefined) return "restart";
  return changed.every((setting) => isReloaded(setting, version, before, after)) ? "reload" : "restart";
}

/** By section, or by the settings of one where only some are reloaded. */
function changedSettings(before: ConfigMap, after: ConfigMap): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...sections].flatMap((section) => {
    const [old, now] = [before[section], after[section]];
    if (isDeepStrictEqual(old, now)) return [];
    if (RELOADED.has(section) || !isMap(old) || !isMap(now)) return [section];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .filter((key) => !isDeepStrictEqual(old[key], now[key]))
      .map((key) => `${section}.${key}`);
  });
}

function isReloaded(setting: string, version: string, before: ConfigMap, after: ConfigMap): boolean {
  const can = nebulaCapabilities(version);
  switch (setting) {
    case "pki.cert":
    case "pki.key":
      return can.handshakesAgainOnNewCertificate && hasSameAddresses(before, after);
    case "tun.unsafe_routes":
    case "preferred_ranges":
      return can.reloadsUnsafeRoutes;
    case "static_host_map":
      return !freezesOnStaticHostMap(version);
    default:
      return RELOADED.has(setting);
  }
}

/** Fixed in 1.7.2; before 1.7 nothing was there to freeze. */
function freezesOnStaticHostMap(version: string): boolean {
  return (
    (compareNebulaVersions(version, "1.7.0") ?? 0) >= 0 && (compareNebulaVersions(version, "1.7.2") ?? 0) < 0
  );
}

/** A certificate for another address, or of another version, is refused by a running nebula. */
function hasSameAddresses(before: ConfigMap, after: ConfigMap): boolean {
  const [old, now] = [readAddresses(before), readAddresses(after)];
  return old !== undefined && isDeepStrictEqual(old, now);
}

function readAddresses({ pki }: ConfigMap): unknown {
  const pem = isMap(pki) && typeof pki.cert === "string" ? pki.cert : "";
  try {
    return pem.startsWith("-----BEGIN NEBULA CERTIFICATE V2-----")
      ? {
          version: 2,
          networks: decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem)).details.networks,
        }
      : { version: 1, networks: decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem)).details.networks };
  } catch {
    return undefined;
  }
}
