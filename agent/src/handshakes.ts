/** The last handshake with each peer, from nebula's log. */
import { isMap } from "./config.ts";
import { parseLogLine } from "./nebula-log.ts";
import type { NebulaLog } from "./nebula-log.ts";

export interface Handshake {
  readonly handshakeAt: string;
  /** Null if the peer started the handshake, or if it was relayed: then the duration includes failed attempts. */
  readonly latencyMs: number | null;
  /** Null if the handshake was relayed. */
  readonly remoteAddress: string | null;
}

const HANDSHAKE_LINE = /"Handshake message (?:received|sent)"/;
const RECEIVED = "Handshake message received";
const HANDSHAKES_MAX = 10_000;
const NANOSECONDS = 1e6;

export class Handshakes {
  private readonly byAddress = new Map<string, Handshake>();

  /** Returns the function that stops watching. */
  watch({ lines }: Pick<NebulaLog, "lines">): () => void {
    const onLine = (line: string) => this.record(line);
    lines.on("line", onLine);
    return () => lines.off("line", onLine);
  }

  find(vpnIp: string): Handshake | undefined {
    return this.byAddress.get(vpnIp);
  }

  record(line: string): void {
    if (!HANDSHAKE_LINE.test(line)) return;
    const entry = parseLogLine(line);
    const { time, vpnIp, vpnAddrs, durationNs, handshake } = entry;
    const address: unknown = Array.isArray(vpnAddrs) ? vpnAddrs[0] : vpnIp;
    const handshakeAt = new Date(String(time));
    // The second message completes the handshake: one side sends it, the other one receives it.
    if (typeof address !== "string" || !isMap(handshake) || handshake.stage !== 2) return;
    if (Number.isNaN(handshakeAt.getTime())) return;
    const remoteAddress = readRemote(entry);
    const isMeasured = entry.msg === RECEIVED && typeof durationNs === "number" && remoteAddress !== null;
    this.byAddress.delete(address);
    this.byAddress.set(address, {
      handshakeAt: handshakeAt.toISOString(),
      latencyMs: isMeasured ? Math.round(durationNs / (NANOSECONDS / 100)) / 100 : null,
      remoteAddress,
    });
    const [oldest] = this.byAddress.size > HANDSHAKES_MAX ? this.byAddress.keys() : [];
    if (oldest !== undefined) this.byAddress.delete(oldest);
  }
}

/** Since 1.10, `from` has the address; before, `udpAddr`. Both are missing or null if the handshake was relayed. */
function readRemote({ udpAddr, from }: Readonly<Record<string, unknown>>): string | null {
  return formatAddress(isMap(from) ? from.direct : udpAddr);
}

/** "192.0.2.1:4242"; before 1.10, nebula prints an object. */
export function formatAddress(value: unknown): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (!isMap(value) || typeof value.ip !== "string") return null;
  return value.ip.includes(":") ? `[${value.ip}]:${String(value.port)}` : `${value.ip}:${String(value.port)}`;
}
