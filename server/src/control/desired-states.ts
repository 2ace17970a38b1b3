/** What hosts should have, worked out once for each snapshot of their network. */
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { type DesiredState, desiredState } from "./compile.ts";
import type { Snapshot } from "./snapshot.ts";

export type DesiredStates = (
  snapshot: Snapshot,
  host: CallingHost,
  nebulaVersion: string | undefined,
) => DesiredState;

/** Of one snapshot: a few kilobytes each. */
const REMEMBERED_MAX = 20_000;

/**
 * Every change to a host or around it moves its network's revision, so that what holds for a host and a snapshot
 * of the same revision holds for as long as there is that snapshot, and is forgotten with it.
 */
export function createDesiredStates(): DesiredStates {
  const known = new WeakMap<Snapshot, Map<string, DesiredState>>();
  return (snapshot, host, nebulaVersion) => {
    if (host.networkRevision !== snapshot.revision) return desiredState(snapshot, host, nebulaVersion);
    const states = known.get(snapshot) ?? new Map<string, DesiredState>();
    known.set(snapshot, states);
    const key = `${host.id} ${nebulaVersion}`;
    const state = states.get(key) ?? desiredState(snapshot, host, nebulaVersion);
    if (states.size < REMEMBERED_MAX) states.set(key, state);
    return state;
  };
}
