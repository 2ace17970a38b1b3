/** What changed, from every process: PostgreSQL's LISTEN on one connection of its own. */
import type { Change } from "@lightkeeper/contract";
import pg from "pg";
import type { Logger } from "pino";
import { CHANGES_CHANNEL } from "../db/audited.ts";

export interface OrganizationChange extends Change {
  organizationID: string;
  /** Nobody changed it: something was heard of it. */
  isHeard?: true;
}
type Listener = (change: OrganizationChange) => void;

export interface ChangeFeed {
  /** Calls back for every change committed anywhere; `missed` when some may have been lost. */
  subscribe(listener: Listener, missed?: () => void): () => void;
  /** Listens, and comes back by itself when the connection breaks. */
  open(): Promise<void>;
  close(): Promise<void>;
  readonly subscriberCount: number;
}

const RECONNECT_MS = 500;

export function createChangeFeed(connectionString: string, log: Logger): ChangeFeed {
  const subscribers = new Set<{ listener: Listener; missed: (() => void) | undefined }>();
  let client: pg.Client | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const deliver = (payload: string) => {
    const change = JSON.parse(payload) as OrganizationChange;
    for (const { listener } of subscribers) listener(change);
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString,
      application_name: "lightkeeper changes",
      keepAlive: true,
    });
    const lost = (error?: Error) => {
      if (client !== next || closed) return;
      client = undefined;
      log.warn({ err: error }, "the change feed lost its connection");
      again();
    };
    next.on("error", lost);
    next.on("end", () => lost());
    next.on("notification", ({ payload }) => payload && deliver(payload));
    try {
      await next.connect();
      await next.query(`listen ${CHANGES_CHANNEL}`);
    } catch (error) {
      await next.end().catch(() => undefined);
      throw error;
    }
    if (closed) await next.end();
    else client = next;
  }

  function again(): void {
    retry = setTimeout(() => {
      connect().then(
        () => subscribers.forEach(({ missed }) => missed?.()),
        () => !closed && again(),
      );
    }, RECONNECT_MS);
  }

  return {
    subscribe(listener, missed) {
      const subscriber = { listener, missed };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    open: connect,
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
    get subscriberCount() {
      return subscribers.size;
    },
  };
}
