/** The desired states of hosts, computed once for each snapshot of their network. */
import { type DesiredState, desiredState, type RenderedText, renderText } from "./compile.ts";
import type { CompiledHost } from "../agents/compiled-host.ts";
import type { Snapshot } from "./snapshot.ts";

export type DesiredStates = (
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
) => DesiredState;

/** Per snapshot; each entry has a few kilobytes. */
const CACHED_MAX = 20_000;

interface SnapshotCache {
  states: Map<string, DesiredState>;
  texts: Map<string, RenderedText>;
}

/** Cached by everything that a desired state depends on: a host's row may be older than the snapshot. */
export function createDesiredStates(): DesiredStates {
  const caches = new WeakMap<Snapshot, SnapshotCache>();
  return (snapshot, host, nebulaVersion) => {
    const cache = caches.get(snapshot) ?? { states: new Map(), texts: new Map() };
    caches.set(snapshot, cache);
    const settings = settingsOf(host, nebulaVersion);
    return getOrCreate(cache.states, ownPartsOf(host) + settings, () =>
      desiredState(snapshot, host, nebulaVersion, (input) =>
        hasSharedConfig(snapshot, host)
          ? getOrCreate(cache.texts, settings, () => renderText(input))
          : renderText(input),
      ),
    );
  };
}

/** Equal for hosts that may share their configuration. */
const settingsOf = (
  { roleID, tags, listenPort, configOverrides }: CompiledHost,
  nebulaVersion: string | undefined,
) => JSON.stringify([nebulaVersion, roleID, tags, listenPort, configOverrides]);

const ownPartsOf = ({ id, name, addresses, staticAddresses, isLighthouse, isRelay }: CompiledHost) =>
  JSON.stringify([id, name, addresses, staticAddresses, isLighthouse, isRelay]);

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
