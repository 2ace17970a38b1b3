// The capabilities of Nebula versions that affect the configuration.

interface NebulaVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const SINCE = {
  /** Supports certificates with curve P256. */
  curveP256: "1.7.0",
  /** Supports `install: false` for unsafe routes; before, every route is added to the system's table. */
  optionalRouteInstall: "1.7.0",
  /** Sends a new certificate to peers after a reload; before, only after a restart. */
  handshakesAgainOnNewCertificate: "1.7.0",
  /** Resolves DNS names in static_host_map repeatedly; before, an unresolvable name at startup is fatal. */
  resolvesNamesAgain: "1.7.0",
  /** `local_cidr` limits a rule; before, it was ignored (1.6) or matched additional traffic (1.7, 1.8). */
  localCidr: "1.9.0",
  /** Starts even if remote_allow_list excludes a lighthouse; before, that was fatal. */
  startsWithoutLighthouse: "1.9.0",
  /** Reloads unsafe routes; before, they need a restart. */
  reloadsUnsafeRoutes: "1.9.0",
  /** Supports version 2 certificates, and therefore IPv6 and several addresses. */
  certificateV2: "1.10.0",
  /** By default, a rule without `local_cidr` applies to the host itself only, even on a router. */
  rulesKeepToTheHost: "1.10.0",
  /** `local_cidr` may contain the zero address; before, such a rule had another meaning. */
  localCidrWithZeroAddress: "1.10.0",
  /** Supports several routers for an unsafe route. */
  gatewayLists: "1.10.0",
  /** Blocks a P256 certificate with either of its two valid signatures; before, each has to be on the blocklist. */
  blocksBothSignatures: "1.10.3",
} as const satisfies Record<string, string>;

export type NebulaCapability = keyof typeof SINCE;
export type NebulaCapabilities = Readonly<Record<NebulaCapability, boolean>>;

/** Hosts report any text as their version, so only the first ones are kept. */
const VERSIONS_MAX = 1000;

const VERSION = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![\d.])/;

/** Ignores everything after the numbers: "1.9.3", "v1.10", "1.6.1+dfsg-3". */
export function parseNebulaVersion(text: string): NebulaVersion | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  const [, major, minor, patch = "0"] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Negative if `a` is older; undefined if one of them isn't a version. */
export function compareNebulaVersions(a: string, b: string): number | undefined {
  const [left, right] = [parseNebulaVersion(a), parseNebulaVersion(b)];
  if (left === undefined || right === undefined) return undefined;
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch;
}

const capabilitiesByVersion = new Map<string, NebulaCapabilities>();

/** An unknown version counts as the newest. */
export function nebulaCapabilities(version = ""): NebulaCapabilities {
  const known = capabilitiesByVersion.get(version);
  if (known) return known;
  const has = (since: string) => (compareNebulaVersions(version, since) ?? 0) >= 0;
  const capabilities = Object.fromEntries(
    Object.entries(SINCE).map(([capability, since]) => [capability, has(since)]),
  ) as NebulaCapabilities;
  if (capabilitiesByVersion.size < VERSIONS_MAX) capabilitiesByVersion.set(version, capabilities);
  return capabilities;
}

/** The features of a network that older versions of Nebula don't have. */
interface NetworkFeatures {
  readonly certVersion: 1 | 2;
  readonly curve: "25519" | "P256";
}

const requiredBy = ({ certVersion, curve }: NetworkFeatures): NebulaCapability | undefined => {
  if (certVersion === 2) return "certificateV2";
  return curve === "P256" ? "curveP256" : undefined;
};

/** The oldest version of Nebula that a network works with; undefined if every version does. */
export function oldestNebulaVersion(network: NetworkFeatures): string | undefined {
  const capability = requiredBy(network);
  return capability && SINCE[capability];
}

/** An unknown version counts as the newest. */
export function isNebulaTooOld(network: NetworkFeatures, version: string | undefined): boolean {
  const capability = requiredBy(network);
  return capability !== undefined && !nebulaCapabilities(version)[capability];
}
