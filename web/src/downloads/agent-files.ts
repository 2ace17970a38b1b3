import type { Downloads } from "@lightkeeper/contract";

export interface AgentFile {
  platform: string;
  /** The platform, for people. */
  label: string;
  url: string;
  name: string;
  sha256: string | undefined;
}

export interface AgentVersion {
  version: string;
  /** A day, as 2026-11-15. */
  releaseDate: string;
  files: AgentFile[];
}

/** The platform of the bundle, which runs wherever Node runs. */
export const BUNDLE = "node";

const labels: Readonly<Record<string, string>> = {
  "linux-amd64": "Linux x86-64",
  "linux-arm64": "Linux ARM64",
  [BUNDLE]: "Linux with Node",
};

const nameOf = (url: string) => decodeURIComponent(url.slice(url.lastIndexOf("/") + 1));

/** The latest version first; executables before the bundle. */
export function agentVersions({ dnclient, versionInfo, checksums }: Downloads): AgentVersion[] {
  return Object.entries(versionInfo.dnclient)
    .toSorted(([, a], [, b]) => Number(b.latest) - Number(a.latest))
    .map(([version, { releaseDate }]) => ({
      version,
      releaseDate,
      files: Object.entries(dnclient[version] ?? {})
        .map(([platform, url]) => ({
          platform,
          label: labels[platform] ?? platform,
          url,
          name: nameOf(url),
          sha256: checksums[url],
        }))
        .toSorted((a, b) => Number(a.platform === BUNDLE) - Number(b.platform === BUNDLE)),
    }));
}

const PROGRAM = "/usr/local/bin/lightkeeper-agent";
const BUNDLE_PATH = "/usr/local/lib/lightkeeper-agent.mjs";

/** Download, verify and install; undefined for platforms without a known install path. */
export function manualInstallCommands({ platform, url, name, sha256 }: AgentFile): string | undefined {
  const isBundle = platform === BUNDLE;
  if (!isBundle && !platform.startsWith("linux-")) return undefined;
  return [
    `curl -fsSLO ${url}`,
    sha256 && `echo "${sha256}  ${name}" | sha256sum -c`,
    `sudo install -m ${isBundle ? `644 ${name} ${BUNDLE_PATH}` : `755 ${name} ${PROGRAM}`}`,
  ]
    .filter(Boolean)
    .join(" &&\n");
}

/** CODE is a placeholder for the enrollment code from the host's page. */
export const manualEnrollCommands = ({ platform }: AgentFile, origin: string = location.origin): string => {
  const agent = platform === BUNDLE ? `node ${BUNDLE_PATH}` : "lightkeeper-agent";
  return `sudo ${agent} enroll --server ${origin} --code CODE &&\nsudo ${agent} run`;
};
