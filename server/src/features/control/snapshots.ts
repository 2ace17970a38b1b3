/** Caches the newest snapshot of each network, and reads it again after its revision was raised. */
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../infrastructure/context/context.ts";
import { dayOf, readSnapshot, type Snapshot } from "./snapshot.ts";

const NETWORKS_MAX = 1000;

export interface Snapshots {
  /** Returns a snapshot at least as new as the revision; undefined if the network was deleted. */
  get(networkID: string, revision: number): Promise<Snapshot | undefined>;
}

/**
 * A change that affects no configuration, such as a new host, only raises the revision of the last snapshot, so that
 * what was compiled from it stays in use.
 */
function keepIfEqual(last: Snapshot | undefined, found: Snapshot): Snapshot {
  const { revision } = found;
  return last && isDeepStrictEqual({ ...last, revision }, found) ? Object.assign(last, { revision }) : found;
}

export function createSnapshots(ctx: Context): Snapshots {
  const cached = new Map<string, Snapshot>();
  const reading = new Map<string, Promise<Snapshot | undefined>>();

  async function read(networkID: string): Promise<Snapshot | undefined> {
    const found = await readSnapshot(ctx.reader, networkID, ctx.clock());
    const snapshot = found && keepIfEqual(cached.get(networkID), found);
    cached.delete(networkID);
    if (snapshot) cached.set(networkID, snapshot);
    const [oldest] = cached.keys();
    if (cached.size > NETWORKS_MAX && oldest !== undefined) cached.delete(oldest);
    return snapshot;
  }

  /** Concurrent calls share one read. */
  function startRead(networkID: string): Promise<Snapshot | undefined> {
    const started = read(networkID).finally(() => reading.delete(networkID));
    reading.set(networkID, started);
    return started;
  }

  return {
    async get(networkID, revision) {
      for (;;) {
        const last = cached.get(networkID);
        if (last && last.revision >= revision && last.day === dayOf(ctx.clock())) return last;
        // A read that started before the change may miss it: then another read follows.
        if (!(await (reading.get(networkID) ?? startRead(networkID)))) return undefined;
      }
    },
  };
}
