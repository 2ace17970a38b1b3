/** The newest snapshot of each network that anybody asks about, read again when its revision has moved. */
import type { Context } from "../../infrastructure/context/context.ts";
import { dayOf, readSnapshot, type Snapshot } from "./snapshot.ts";

const NETWORKS_MAX = 1000;

export interface Snapshots {
  /** One at least as new as the revision; undefined when the network is gone. */
  get(networkID: string, revision: number): Promise<Snapshot | undefined>;
}

export function createSnapshots(ctx: Context): Snapshots {
  const known = new Map<string, Snapshot>();
  const reading = new Map<string, Promise<Snapshot | undefined>>();

  async function read(networkID: string): Promise<Snapshot | undefined> {
    const snapshot = await readSnapshot(ctx.reader, networkID, ctx.clock());
    known.delete(networkID);
    if (snapshot) known.set(networkID, snapshot);
    const [oldest] = known.keys();
    if (known.size > NETWORKS_MAX && oldest !== undefined) known.delete(oldest);
    return snapshot;
  }

  /** One reading at a time, shared by all who ask meanwhile. */
  function begin(networkID: string): Promise<Snapshot | undefined> {
    const begun = read(networkID).finally(() => reading.delete(networkID));
    reading.set(networkID, begun);
    return begun;
  }

  return {
    async get(networkID, revision) {
      for (;;) {
        const last = known.get(networkID);
        if (last && last.revision >= revision && last.day === dayOf(ctx.clock())) return last;
        // One that began before the change was there may miss it: then another follows.
        if (!(await (reading.get(networkID) ?? begin(networkID)))) return undefined;
      }
    },
  };
}
