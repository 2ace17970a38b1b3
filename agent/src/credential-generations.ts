/** The host's earlier credentials. A server restored from a backup accepts one of them and none of the later ones. */
import type { Credentials } from "./protocol.ts";
import type { State } from "./state.ts";

export interface Generation extends Pick<Credentials, "counter" | "hostKey"> {
  /** The server's public keys at that time. */
  readonly trustedKeys: string;
}

/** More updates than a host gets between two backups. */
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
