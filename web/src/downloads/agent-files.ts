import type { Downloads } from "@lightkeeper/contract";

export interface AgentFile {
  platform: string;
  /** What it runs on, in words. */
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

/** The one file that runs wherever Node does. */
export const BUNDLE = "node";

const labels: Readonly<Record<string, string>> = {
  "linux-amd64": "Linux x86-64",
  "linux-arm64": "Linux ARM64",
  [BUNDLE]: "Linux with Node",
};

const nameOf = (url: string) => decodeURIComponent(url.slice(url.lastIndexOf("/") + 1));

/** Newest first, as the server says them; the executables before the bundle. */
export function agentVersions({ dnclient, versionInfo, checksums }: Downloads): AgentVersion[] {
  return Object.entries(versionInfo.dnclient)
    .toSorted(([, one], [, other]) => Number(other.latest) - Number(one.latest))
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
        .toSorted((one, other) => Number(one.platform === BUNDLE) - Number(other.platform === BUNDLE)),
    }));
}

const PROGRAM = "/usr/local/bin/lightkeeper-agent";
const BUNDLE_PATH = "/usr/local/lib/lightkeeper-agent.mjs";

/** Fetches a file, checks it, and puts it in its place; undefined for a system that is not installed to like that. */
export function installByHand({ platform, url, name, sha256 }: AgentFile): string | undefined {
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

/** The code stands for the one that a host's page makes. */
export const enrollByHand = ({ platform }: AgentFile, origin: string = location.origin): string => {
  const agent = platform === BUNDLE ? `node ${BUNDLE_PATH}` : "lightkeeper-agent";
  return `sudo ${agent} enroll --server ${origin} --code CODE &&\nsudo ${agent} run`;
};
