/** Names of build files: the agent's version, then the platform. */

const PLATFORMS = [
  "freebsd-amd64",
  "freebsd-arm64",
  "linux-386",
  "linux-amd64",
  "linux-arm64",
  "linux-armv5",
  "linux-armv6",
  "linux-armv7",
  "linux-mips",
  "linux-mips-softfloat",
  "linux-mips64",
  "linux-mips64le",
  "linux-mipsle",
  "linux-ppc64le",
  "linux-riscv64",
  "macos-universal-desktop",
  "macos-universal-server",
  "macos-universal-server-dmg",
  "windows-amd64-desktop",
  "windows-amd64-server",
  "windows-arm64-desktop",
  "windows-arm64-server",
];

/** The single-file build for any platform with Node.js. */
const BUNDLE = "node";

const IDENTIFIERS = String.raw`[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*`;
const VERSION = String.raw`\d{1,6}\.\d{1,6}\.\d{1,6}(?:-${IDENTIFIERS})?(?:\+${IDENTIFIERS})?`;
const NAME = new RegExp(String.raw`^lightkeeper-agent-(${VERSION})(?:-(${PLATFORMS.join("|")})|\.mjs)$`);

export interface NamedFile {
  name: string;
  version: string;
  platform: string;
}

export function parseFileName(name: string): NamedFile | undefined {
  const [, version, platform = BUNDLE] = NAME.exec(name) ?? [];
  return version === undefined ? undefined : { name, version, platform };
}
