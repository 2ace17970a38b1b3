// What each version of Nebula can do, where versions differ and it matters to what we write for them.

interface NebulaVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const SINCE = {
  /** Takes certificates on curve P256. */
  curveP256: "1.7.0",
  /** `install: false` on an unsafe route is obeyed; before, every route lands in the system's table. */
  optionalRouteInstall: "1.7.0",
  /** A certificate that changed while running reaches peers; before, only a restart does that. */
  handshakesAgainOnNewCertificate: "1.7.0",
  /** Names in static_host_map are resolved again; before, one that fails at the start is fatal. */
  resolvesNamesAgain: "1.7.0",
  /** `local_cidr` narrows a rule; before, it was ignored (1.6) or one more way to match (1.7, 1.8). */
  localCidr: "1.9.0",
  /** A lighthouse that remote_allow_list shuts out is passed over; before, that is fatal. */
  startsWithoutLighthouse: "1.9.0",
  /** Unsafe routes follow a reload; before, they need a restart. */
  reloadsUnsafeRoutes: "1.9.0",
  /** Speaks version 2 certificates, and with them IPv6 and several addresses. */
  certificateV2: "1.10.0",
  /** A rule without `local_cidr` keeps to the host itself, even on a router, without being told to. */
  rulesKeepToTheHost: "1.10.0",
  /** `local_cidr` may hold the zero address; before, such a rule means something else. */
  localCidrWithZeroAddress: "1.10.0",
  /** An unsafe route may have several routers. */
  gatewayLists: "1.10.0",
} as const satisfies Record<string, string>;

export type NebulaCapability = keyof typeof SINCE;
export type NebulaCapabilities = Readonly<Record<NebulaCapability, boolean>>;

const VERSION = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![\d.])/;

/** "1.9.3", "v1.10", "1.6.1+dfsg-3": what follows the numbers does not count. */
export function parseNebulaVersion(text: string): NebulaVersion | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  const [, major, minor, patch = "0"] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Negative when `a` is older; undefined when one of them is no version. */
export function compareNebulaVersions(a: string, b: string): number | undefined {
  const [left, right] = [parseNebulaVersion(a), parseNebulaVersion(b)];
  if (left === undefined || right === undefined) return undefined;
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch;
}

/** An unknown version counts as the newest. */
export function nebulaCapabilities(version: string | undefined): NebulaCapabilities {
  const has = (since: string) => (compareNebulaVersions(version ?? "", since) ?? 0) >= 0;
  return Object.fromEntries(
    Object.entries(SINCE).map(([capability, since]) => [capability, has(since)]),
  ) as NebulaCapabilities;
}
