/** What hosts should have, worked out once for each snapshot of their network. */
import {
  type CompiledHost,
  type DesiredState,
  desiredState,
  type RenderedText,
  renderText,
} from "./compile.ts";
import type { Snapshot } from "./snapshot.ts";

export type DesiredStates = (
  snapshot: Snapshot,
  host: CompiledHost & { networkRevision: number },
  nebulaVersion: string | undefined,
) => DesiredState;

/** Of one snapshot: a few kilobytes each. */
const REMEMBERED_MAX = 20_000;

interface Known {
  states: Map<string, DesiredState>;
  texts: Map<string, RenderedText>;
}

/**
 * Every change to a host or around it moves its network's revision, so that what holds for a host and a snapshot
 * of the same revision holds for as long as there is that snapshot, and is forgotten with it.
 */
export function createDesiredStates(): DesiredStates {
  const ofSnapshots = new WeakMap<Snapshot, Known>();
  return (snapshot, host, nebulaVersion) => {
    if (host.networkRevision !== snapshot.revision) return desiredState(snapshot, host, nebulaVersion);
    const known = ofSnapshots.get(snapshot) ?? { states: new Map(), texts: new Map() };
    ofSnapshots.set(snapshot, known);
    return remembered(known.states, `${host.id} ${nebulaVersion}`, () => {
      const { roleID, tags, listenPort, configOverrides } = host;
      const likeness = JSON.stringify([nebulaVersion, roleID, tags, listenPort, configOverrides]);
      return desiredState(snapshot, host, nebulaVersion, (input) =>
        isLikeOthers(snapshot, host)
          ? remembered(known.texts, likeness, () => renderText(input))
          : renderText(input),
      );
    });
  };
}

/** Whether its configuration is that of every other of its role, tags and settings: nobody else's names it. */
const isLikeOthers = (snapshot: Snapshot, { id, isLighthouse, isRelay, staticAddresses }: CompiledHost) =>
  !isLighthouse &&
  !isRelay &&
  staticAddresses.length === 0 &&
  snapshot.routes.every(({ routerHostID }) => routerHostID !== id);

function remembered<T>(values: Map<string, T>, key: string, create: () => T): T {
  const value = values.get(key) ?? create();
  if (values.size < REMEMBERED_MAX) values.set(key, value);
  return value;
}
