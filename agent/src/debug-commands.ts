/** Runs the console's debug commands with nebula's debug console and returns results in the shapes of the public API. */
import { readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { AgentAction } from "@lightkeeper/contract/agent";
import { isMap } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import { messageOf } from "./errors.ts";
import { readVpnIp } from "./tunnels.ts";

export const debugCommands = [
  "StreamLogs",
  "CreateTunnel",
  "PrintTunnel",
  "PrintCert",
  "QueryLighthouse",
  "DebugStack",
] as const;

export interface DebugTarget {
  runConsoleCommand(command: string): Promise<string>;
  running(): { pid: number | undefined } | undefined;
}

/** Runs every command except StreamLogs. Returns a text instead of an object if there's no result. */
export async function runDebugCommand({ command, args }: AgentAction, nebula: DebugTarget): Promise<unknown> {
  try {
    if (command === "DebugStack") return describeThreads(nebula.running()?.pid);
    const target = args?.target;
    // Nebula's console splits its input at spaces, so only a valid address may be passed on.
    if (typeof target !== "string" || isIP(target) === 0) return "The target must be an IP address.";
    switch (command) {
      case "CreateTunnel":
        return (await nebula.runConsoleCommand(`create-tunnel ${target}`)).trim();
      case "PrintTunnel":
        return readOutput(await nebula.runConsoleCommand(`print-tunnel ${target}`), toTunnel);
      case "PrintCert":
        return readOutput(await nebula.runConsoleCommand(`print-cert -json ${target}`), toCertificate);
      case "QueryLighthouse":
        return readOutput(await nebula.runConsoleCommand(`query-lighthouse ${target}`), toLighthouseEntries);
      default:
        return `This agent doesn't support the command ${command}.`;
    }
  } catch (error) {
    return `Can't reach Nebula's debug console: ${messageOf(error)}.`;
  }
}

function readOutput(output: string, convert: (value: unknown) => unknown): unknown {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return output.trim();
  }
  return convert(value);
}

/** Since 1.10, a tunnel has a list of overlay addresses, and underlay addresses are strings. */
function toTunnel(value: unknown): unknown {
  if (!isMap(value)) return value;
  const { vpnAddrs: _, vpnIp: __, remoteAddrs, currentRemote, cert, ...rest } = value;
  return {
    vpnIp: readVpnIp(value),
    cachedPackets: 0,
    ...rest,
    remoteAddrs: toAddresses(remoteAddrs),
    currentRemote: toAddress(currentRemote),
    cert: toCertificate(cert),
  };
}

/**
 * Since 1.10, `ips` and `subnets` have other names; before 1.7, `curve` is missing. Version 2 certificates have their
 * curve and public key beside the details, and null instead of an empty list.
 */
function toCertificate(value: unknown): unknown {
  // A host with certificates of both versions prints both.
  const printed: unknown = Array.isArray(value) ? value[0] : value;
  if (!isMap(printed) || !isMap(printed.details)) return printed;
  const { curve = "CURVE25519", publicKey, ...certificate } = printed;
  const { networks, unsafeNetworks, ...details } = printed.details;
  return {
    ...certificate,
    details: {
      curve,
      ...(publicKey === undefined ? {} : { publicKey }),
      ...details,
      groups: details.groups ?? [],
      ips: details.ips ?? networks ?? [],
      subnets: details.subnets ?? unsafeNetworks ?? [],
    },
  };
}

function toLighthouseEntries(value: unknown): unknown {
  if (!isMap(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([host, entry]) => [host, isMap(entry) ? toLighthouseEntry(entry) : entry]),
  );
}

function toLighthouseEntry({ learned, reported, ...rest }: ConfigMap): unknown {
  return {
    ...rest,
    ...(learned === undefined ? {} : { learned: toAddresses(learned) }),
    ...(reported === undefined ? {} : { reported: toAddresses(reported) }),
  };
}

function toAddresses(value: unknown): unknown[] {
  return Array.isArray(value) ? value.map(toAddress) : [];
}

function toAddress(value: unknown): unknown {
  const [, ip, port] = (typeof value === "string" && /^\[?([^[\]]*)\]?:(\d+)$/.exec(value)) || [];
  return ip === undefined ? (value ?? null) : { ip, port: Number(port) };
}

/** Nebula prints its stacks only when it crashes, so this describes its threads from /proc. */
function describeThreads(pid: number | undefined): string {
  if (pid === undefined) return "Nebula isn't running.";
  const tasks = `/proc/${pid}/task`;
  const read = (file: string) => {
    try {
      return readFileSync(file, "utf8").trim();
    } catch {
      return "";
    }
  };
  const threads = readdirSync(tasks).map((thread) => {
    const state = /^State:\s*(.*)$/m.exec(read(`${tasks}/${thread}/status`))?.[1];
    const head = `thread ${thread} ${read(`${tasks}/${thread}/comm`)}: ${state}, in ${read(`${tasks}/${thread}/wchan`) || "user code"}`;
    return [head, read(`${tasks}/${thread}/stack`)].filter((part) => part !== "").join("\n");
  });
  return [`nebula, process ${pid}, ${threads.length} threads`, ...threads].join("\n");
}
