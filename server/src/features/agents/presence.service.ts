/**
 * Records which hosts call. To write little, `last_seen_at` is written every 15 seconds, for many hosts in one
 * statement, and the host itself only when it comes online or its agent changes.
 */
import type { Context } from "../../infrastructure/context/context.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { createStepDetector } from "../../infrastructure/time/clock.ts";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import {
  correctFuturePresence,
  OFFLINE_AFTER_MS,
  recordLastSeen,
  recordOnline,
  type SeenHost,
  sweepPresence,
} from "../../nouns/hosts/host-presence.service.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import type { Client } from "./user-agent.ts";

export const WRITE_EVERY_MS = 15 * SECOND_MS;
const IDLE_MS = MINUTE_MS;
/** With thousands of hosts, each statement then records dozens of calls. */
const LATER_MS = 0.1 * SECOND_MS;

export interface Presence {
  recordCall(host: CallingHost, client: Client, at: Date): void;
  /** Writes the recorded calls. */
  worker: Worker;
}

interface Call {
  host: CallingHost;
  client: Client;
  at: Date;
}

const isTransition = ({ host: { presence }, client }: Call) =>
  !presence.isOnline || presence.agentName !== client.name || presence.agentVersion !== client.version;

/** A time in the future was written before the clock was set back. */
const isDue = ({ host: { presence }, at }: Call) =>
  typeof presence.lastSeenAt === "number" ||
  Math.abs(at.getTime() - presence.lastSeenAt.getTime()) >= WRITE_EVERY_MS;

const toSeenHost = ({ host, client, at }: Call): SeenHost => ({
  id: host.id,
  networkID: host.networkID,
  agentName: client.name,
  agentVersion: client.version,
  seenAt: at,
});

export function createPresence(ctx: Context): Presence {
  let pending = new Map<string, Call>();
  const worker = createWorker({
    pollMs: IDLE_MS,
    work: async () => {
      const calls = [...pending.values()];
      pending = new Map();
      if (calls.length === 0) return;
      await recordLastSeen(ctx.unaudited, calls.map(toSeenHost));
      const transitions = calls.filter(isTransition);
      if (transitions.length > 0) await recordOnline(ctx.unaudited, transitions.map(toSeenHost));
    },
    onError: (error) => ctx.log.warn({ err: error }, "could not record which hosts called"),
  });
  let timer: NodeJS.Timeout | undefined;
  const wakeLater = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      worker.wake();
    }, LATER_MS).unref();
  };
  return {
    recordCall(host, client, at) {
      const call = { host, client, at };
      if (!isTransition(call) && !isDue(call)) return;
      pending.set(host.id, call);
      if (isTransition(call)) worker.wake();
      else wakeLater();
    },
    worker,
  };
}

/** Sweeps until no silent host is left. After the clock was set forward, hosts can call again before the next sweep. */
export function createPresenceSweep(ctx: Context): () => Promise<void> {
  const detectStep = createStepDetector(ctx.clock);
  let needsCorrection = true;
  let resumesAt = 0;
  return async () => {
    const stepMs = detectStep();
    if (stepMs < 0) needsCorrection = true;
    if (stepMs > 0) resumesAt = performance.now() + OFFLINE_AFTER_MS;
    if (needsCorrection) await correctFuturePresence(ctx);
    needsCorrection = false;
    if (performance.now() < resumesAt) return;
    while ((await sweepPresence(ctx)) > 0);
  };
}
