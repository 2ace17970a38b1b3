/** Finds the waiting hosts that changes can affect, by comparing two snapshots of each changed network. */
import type { Reader } from "../../infrastructure/db/client.ts";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { affectedHosts } from "./affected-hosts.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Waiter, WaitingHosts } from "./waiting-hosts.ts";

export interface ChangedIDs {
  hosts: Set<string>;
  networks: Set<string>;
  organizations: Set<string>;
}

export interface AffectedWaitersOptions {
  reader: Reader;
  snapshots: Snapshots;
  waiting: WaitingHosts;
}

export class AffectedWaiters {
  readonly #reader: Reader;
  readonly #snapshots: Snapshots;
  readonly #waiting: WaitingHosts;
  readonly #lastSnapshots = new Map<string, Snapshot>();

  constructor({ reader, snapshots, waiting }: AffectedWaitersOptions) {
    this.#reader = reader;
    this.#snapshots = snapshots;
    this.#waiting = waiting;
  }

  /** Keeps a snapshot of the host's network to compare the next change with. */
  async watch({ networkID, networkRevision }: CallingHost): Promise<void> {
    if (this.#lastSnapshots.has(networkID)) return;
    const snapshot = await this.#snapshots.get(networkID, networkRevision);
    if (snapshot && !this.#lastSnapshots.has(networkID)) this.#lastSnapshots.set(networkID, snapshot);
  }

  forget(networkID: string): void {
    this.#lastSnapshots.delete(networkID);
  }

  async find({ hosts, networks, organizations }: ChangedIDs): Promise<Set<Waiter>> {
    const waiters = new Set([...hosts].flatMap(this.#waiting.ofHost));
    const networkIDs = new Set([...networks, ...[...organizations].flatMap(this.#waiting.networksOf)]);
    const revisions = await findRevisions(this.#reader, [...networkIDs].filter(this.#waiting.hasNetwork));
    for (const [networkID, revision] of revisions)
      for (const waiter of await this.#findInNetwork(networkID, revision)) waiters.add(waiter);
    return waiters;
  }

  async #findInNetwork(networkID: string, revision: number): Promise<Iterable<Waiter>> {
    const before = this.#lastSnapshots.get(networkID);
    if (before && before.revision >= revision) return [];
    const after = await this.#snapshots.get(networkID, revision);
    if (!before || !after) return this.#waiting.ofNetwork(networkID);
    this.#lastSnapshots.set(networkID, after);
    return this.#waiting.affectedIn(networkID, affectedHosts(before, after));
  }
}

/** Omits networks that no longer exist. */
async function findRevisions(reader: Reader, networkIDs: string[]): Promise<Map<string, number>> {
  if (networkIDs.length === 0) return new Map();
  const rows = await reader
    .selectFrom("networks")
    .select(["id", "revision"])
    .where("id", "in", networkIDs)
    .execute();
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}
