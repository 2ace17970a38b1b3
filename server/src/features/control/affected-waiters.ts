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

/**
 * The waiters to check, with the new snapshot of their network; undefined if the host itself may have changed since its
 * row was read.
 */
export type WaitersToCheck = Map<Waiter, Snapshot | undefined>;

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

  /** Keeps a snapshot of the host's network to compare the next change with. Returns whether the host's row is as old. */
  async watch({ networkID, networkRevision }: CallingHost): Promise<boolean> {
    if (!this.#lastSnapshots.has(networkID)) {
      const snapshot = await this.#snapshots.get(networkID, networkRevision);
      if (snapshot && !this.#lastSnapshots.has(networkID)) this.#lastSnapshots.set(networkID, snapshot);
    }
    return this.#lastSnapshots.get(networkID)?.revision === networkRevision;
  }

  forget(networkID: string): void {
    this.#lastSnapshots.delete(networkID);
  }

  async find({ hosts, networks, organizations }: ChangedIDs): Promise<WaitersToCheck> {
    const waiters: WaitersToCheck = new Map();
    const networkIDs = new Set([...networks, ...[...organizations].flatMap(this.#waiting.networksOf)]);
    const revisions = await findRevisions(this.#reader, [...networkIDs].filter(this.#waiting.hasNetwork));
    for (const [networkID, revision] of revisions) await this.#addWaitersOf(networkID, revision, waiters);
    for (const waiter of this.#waiting.ofHosts(hosts)) waiters.set(waiter, undefined);
    return waiters;
  }

  async #addWaitersOf(networkID: string, revision: number, waiters: WaitersToCheck): Promise<void> {
    const before = this.#lastSnapshots.get(networkID);
    if (before && before.revision >= revision) return;
    const after = await this.#snapshots.get(networkID, revision);
    if (before && after) this.#lastSnapshots.set(networkID, after);
    const affected = before && after ? affectedHosts(before, after) : "all";
    for (const waiter of this.#waiting.affectedIn(networkID, affected)) waiters.set(waiter, after);
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
