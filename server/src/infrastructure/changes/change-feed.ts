/** Receives the changes that any process commits. */
import type { Change } from "@lightkeeper/contract";
import type { Logger } from "pino";
import type { DatabaseTime } from "../time/clock.ts";
import { createNotifications, type Notifications } from "../db/notifications.ts";

export interface OrganizationChange extends Change {
  organizationID: string;
  /** Reported by a host or the server itself, without an audit entry. */
  isReported?: true;
}
type Listener = (change: OrganizationChange) => void;

export interface ChangeFeed {
  /** Calls back for every change committed anywhere; `missed` when some may have been lost. */
  subscribe(listener: Listener, missed?: () => void): () => void;
  open(): Promise<void>;
  close(): Promise<void>;
  /** The connections that changes arrive on. */
  readonly health: Pick<Notifications, "isReceiving" | "connectionCount" | "receivingCount">;
  readonly subscriberCount: number;
  /** Increases with every change that arrives, and when some may have been lost. */
  readonly position: number;
}

export interface ChangeFeedOptions {
  connectionString: string;
  log: Logger;
  onTime: (time: DatabaseTime) => void;
}

export function createChangeFeed({ connectionString, log, onTime }: ChangeFeedOptions): {
  changes: ChangeFeed;
  notifications: Notifications;
} {
  const subscribers = new Set<{ listener: Listener; missed: (() => void) | undefined }>();
  let position = 0;
  const notifications = createNotifications({
    connectionString,
    onNotification(payload) {
      const { transaction: _, ...change } = JSON.parse(payload) as OrganizationChange & {
        transaction?: string;
      };
      position++;
      for (const { listener } of subscribers) listener(change);
    },
    onMissed() {
      position++;
      subscribers.forEach(({ missed }) => missed?.());
    },
    onLost: (error) => log.warn({ err: error }, "lost a change feed connection; reconnecting"),
    onTime,
  });
  const changes: ChangeFeed = {
    subscribe(listener, missed) {
      const subscriber = { listener, missed };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    open: () => notifications.open(),
    close: () => notifications.close(),
    health: notifications,
    get subscriberCount() {
      return subscribers.size;
    },
    get position() {
      return position;
    },
  };
  return { changes, notifications };
}
