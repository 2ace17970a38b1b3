/** The desired states of hosts, computed once for each snapshot of their network. */
import { type DesiredState, desiredState, type RenderedText, renderText } from "./compile.ts";
import type { CompiledHost } from "../agents/compiled-host.ts";
import type { Snapshot } from "./snapshot.ts";

export type DesiredStates = (
  snapshot: Snapshot,
  host: CompiledHost & { networkRevision: number },
  nebulaVersion: string | undefined,
) => DesiredState;

/** Per snapshot; each entry has a few kilobytes. */
const CACHED_MAX = 20_000;

interface SnapshotCache {
  states: Map<string, DesiredState>;
  texts: Map<string, RenderedText>;
}

/**
 * Every change raises the network's revision, so the desired state of a host is valid as long as the snapshot of the
 * same revision exists.
 */
export function createDesiredStates(): DesiredStates {
  const caches = new WeakMap<Snapshot, SnapshotCache>();
  return (snapshot, host, nebulaVersion) => {
    if (host.networkRevision !== snapshot.revision) return desiredState(snapshot, host, nebulaVersion);
    const cache = caches.get(snapshot) ?? { states: new Map(), texts: new Map() };
    caches.set(snapshot, cache);
    return getOrCreate(cache.states, `${host.id} ${nebulaVersion}`, () => {
      const { roleID, tags, listenPort, configOverrides } = host;
      const settings = JSON.stringify([nebulaVersion, roleID, tags, listenPort, configOverrides]);
      return desiredState(snapshot, host, nebulaVersion, (input) =>
        hasSharedConfig(snapshot, host)
          ? getOrCreate(cache.texts, settings, () => renderText(input))
          : renderText(input),
      );
    });
  };
}

/** Whether hosts with the same role, tags and settings have the same configuration. */
const hasSharedConfig = (snapshot: Snapshot, { id, isLighthouse, isRelay, staticAddresses }: CompiledHost) =>
  !isLighthouse &&
  !isRelay &&
  staticAddresses.length === 0 &&
  snapshot.routes.every(({ routerHostID }) => routerHostID !== id);

function getOrCreate<T>(values: Map<string, T>, key: string, create: () => T): T {
  const value = values.get(key) ?? create();
  if (values.size < CACHED_MAX) values.set(key, value);
  return value;
}
