/** The machine that the agent runs on, and the traffic of nebula's interface. */
import { readFileSync } from "node:fs";
import { release, type as readSystemName } from "node:os";
import type { ReportedSystem, ReportedTraffic } from "@lightkeeper/contract/agent";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";

const OS_LENGTH_MAX = 255;
const KERNEL_LENGTH_MAX = 64;

/** Node's names of architectures that Go and Debian name differently. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

export function describeSystem(): ReportedSystem {
  return {
    os: readOsName(readText("/etc/os-release") ?? "").slice(0, OS_LENGTH_MAX),
    kernel: release().slice(0, KERNEL_LENGTH_MAX),
    arch: ARCHITECTURES[process.arch] ?? process.arch,
  };
}

/** For example "Debian GNU/Linux 12", without the code name. */
export function readOsName(osRelease: string): string {
  const [, quoted] = /^PRETTY_NAME=(.*)$/m.exec(osRelease) ?? [];
  const name = quoted?.replace(/^(["'])(.*)\1$/, "$2").replace(/ \([^()]*\)$/, "");
  return name || readSystemName();
}

/** Undefined if the interface doesn't exist, such as with a nebula that has none. */
export function readTraffic(config: ConfigMap): ReportedTraffic | undefined {
  const device = isMap(config.tun) ? config.tun.dev : undefined;
  return typeof device === "string" ? readCounters(readText("/proc/net/dev") ?? "", device) : undefined;
}

const SENT_COLUMN = 8;

/** Reads the format of /proc/net/dev, which unlike /sys shows the interfaces of the agent's own network namespace. */
export function readCounters(interfaces: string, device: string): ReportedTraffic | undefined {
  const line = interfaces.split("\n").find((text) => text.trim().startsWith(`${device}:`));
  const counters =
    line
      ?.slice(line.indexOf(":") + 1)
      .trim()
      .split(/\s+/)
      .map(Number) ?? [];
  const [receivedBytes, sentBytes] = [counters[0], counters[SENT_COLUMN]];
  if (!Number.isSafeInteger(receivedBytes) || !Number.isSafeInteger(sentBytes)) return undefined;
  return { receivedBytes: receivedBytes ?? 0, sentBytes: sentBytes ?? 0 };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
