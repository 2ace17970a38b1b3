/**
 * The credentials that this host had before. A server that was restored from a backup knows one of them, and
 * none of those that came after it.
 */
import type { Credentials } from "./protocol.ts";
import type { State } from "./state.ts";

export interface Generation extends Pick<Credentials, "counter" | "hostKey"> {
  /** The keys that the server signed with at that time. */
  readonly trustedKeys: string;
}

/** As many updates as a host gets between two backups, with room to spare. */
const GENERATIONS_MAX = 20;

/** The earlier generations of the state that follows this one, newest first. */
export function rememberGeneration({
  counter,
  hostKey,
  trustedKeys,
  previous = [],
}: Pick<State, keyof Generation | "previous">): Generation[] {
  const earlier = previous.filter((generation) => generation.hostKey !== hostKey);
  return [{ counter, hostKey, trustedKeys }, ...earlier].slice(0, GENERATIONS_MAX);
}

/** The state with the credentials of each earlier generation, newest first. */
export function earlierStates(state: State): State[] {
  const previous = rememberGeneration(state);
  return (state.previous ?? []).map((generation) => ({ ...state, ...generation, previous }));
}
