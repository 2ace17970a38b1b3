/**
 * Whether a changed configuration needs a reload or a restart of nebula. Only settings known to follow SIGHUP are
 * reloaded; all others, and unknown versions of nebula, need a restart.
 */
import { isDeepStrictEqual } from "node:util";
import { compareNebulaVersions, nebulaCapabilities, parseNebulaVersion } from "@lightkeeper/nebula";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import { canReplaceCertificates, readHostCertificates } from "./host-certificates.ts";
import type { HostCertificate } from "./host-certificates.ts";

/** Reloaded by every version since 1.6. */
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

export type ApplyMethod = "nothing" | "reload" | "restart";

export function chooseApplyMethod(
  version: string | undefined,
  before: ConfigMap,
  after: ConfigMap,
): ApplyMethod {
  const changed = changedSettings(before, after);
  if (changed.length === 0) return "nothing";
  if (version === undefined || parseNebulaVersion(version) === undefined) return "restart";
  return changed.every((setting) => isReloaded(setting, version, before, after)) ? "reload" : "restart";
}

/** Returns section names, or "section.setting" for sections in which only some settings are reloaded. */
function changedSettings(before: ConfigMap, after: ConfigMap): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...sections].flatMap((section) => {
    const [previous, next] = [before[section], after[section]];
    if (isDeepStrictEqual(previous, next)) return [];
    if (RELOADED.has(section) || !isMap(previous) || !isMap(next)) return [section];
    return [...new Set([...Object.keys(previous), ...Object.keys(next)])]
      .filter((key) => !isDeepStrictEqual(previous[key], next[key]))
      .map((key) => `${section}.${key}`);
  });
}

function isReloaded(setting: string, version: string, before: ConfigMap, after: ConfigMap): boolean {
  const capabilities = nebulaCapabilities(version);
  switch (setting) {
    case "pki.cert":
    case "pki.key":
      return canReloadCertificates(version, before, after);
    case "pki.initiating_version":
      return capabilities.certificateV2;
    case "tun.unsafe_routes":
    case "preferred_ranges":
      return capabilities.reloadsUnsafeRoutes;
    case "static_host_map":
      return !freezesOnStaticHostMap(version);
    default:
      return RELOADED.has(setting);
  }
}

/** A bug of 1.7.0 and 1.7.1, fixed in 1.7.2: nebula freezes when it reloads a changed static_host_map. */
function freezesOnStaticHostMap(version: string): boolean {
  return (
    (compareNebulaVersions(version, "1.7.0") ?? 0) >= 0 && (compareNebulaVersions(version, "1.7.2") ?? 0) < 0
  );
}

function canReloadCertificates(version: string, before: ConfigMap, after: ConfigMap): boolean {
  const [previous, next] = [readCertificates(before), readCertificates(after)];
  const { certificateV2, handshakesAgainOnNewCertificate } = nebulaCapabilities(version);
  if (!handshakesAgainOnNewCertificate || !previous || !next) return false;
  const isSupported = certificateV2 || [...previous, ...next].every((known) => known.version === 1);
  return isSupported && canReplaceCertificates(previous, next);
}

function readCertificates({ pki }: ConfigMap): HostCertificate[] | undefined {
  return readHostCertificates(isMap(pki) && typeof pki.cert === "string" ? pki.cert : "");
}
