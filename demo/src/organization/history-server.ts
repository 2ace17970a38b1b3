/** A server on a free port whose clock the demo moves, so that a year passes in seconds. */
import type { AddressInfo } from "node:net";
import {
  createApp,
  type Config,
  createContext,
  recordAcknowledgments,
  sweepPresence,
} from "@lightkeeper/server/app";
import { dateEntries, type TimeJump } from "@lightkeeper/server/seeds";

export interface HistoryServer {
  url: string;
  now: () => number;
  advance: (ms: number) => void;
  /** Moves the clock forward to this time; does nothing if it has passed. */
  advanceTo: (atMs: number) => void;
  /** Sends queued mail and returns the token of the newest link to the address. */
  linkToken: (email: string) => Promise<string>;
  /** Stores who was seen since the last call, and who no longer is online. */
  settlePresence: () => Promise<void>;
  /** Stores when the other hosts have acknowledged blocks. */
  recordAcknowledgments: () => Promise<void>;
  /** Gives the audit entries, which have the database's time, the times of the clock. */
  dateEntries: () => Promise<void>;
  close: () => Promise<void>;
}

interface Options {
  config: Config;
  connectionString: string;
  version: string;
  startAtMs: number;
}

const LINK_TOKEN = /magicLinkToken=([\w-]+)/;

export async function startHistoryServer({ startAtMs, ...options }: Options): Promise<HistoryServer> {
  let nowMs = startAtMs;
  const jumps: TimeJump[] = [{ realMs: Date.now(), simulatedMs: startAtMs }];
  const moveTo = (atMs: number) => {
    if (atMs <= nowMs) return;
    nowMs = atMs;
    jumps.push({ realMs: Date.now(), simulatedMs: atMs });
  };
  const links = new Map<string, string>();
  const ctx = createContext({
    ...options,
    config: { ...options.config, logLevel: "silent" },
    clock: () => new Date(nowMs),
    mailer: {
      send: async ({ to, text }) => {
        const token = LINK_TOKEN.exec(text)?.[1];
        if (token) links.set(to, token);
      },
    },
  });
  const { http, outbox, presence } = createApp(ctx, { agentPollMs: 0 });
  await ctx.changes.open();
  await http.listen({ host: "127.0.0.1", port: 0 });
  return {
    url: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`,
    now: () => nowMs,
    advance: (ms) => moveTo(nowMs + ms),
    advanceTo: moveTo,
    linkToken: async (email) => {
      await outbox.drain();
      const token = links.get(email);
      if (!token) throw new Error(`No link was sent to ${email}`);
      return token;
    },
    settlePresence: async () => {
      await presence.drain();
      while ((await sweepPresence(ctx)) > 0);
    },
    recordAcknowledgments: () => recordAcknowledgments(ctx, new Date(startAtMs)),
    dateEntries: () => dateEntries(ctx, jumps),
    close: async () => {
      await http.close();
      await Promise.all([outbox.stop(), presence.stop()]);
      await ctx.dispose();
    },
  };
}
