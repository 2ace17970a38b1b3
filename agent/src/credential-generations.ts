/** The host's earlier credentials. A server restored from a backup accepts one of them and none of the later ones. */
import type { Credentials } from "./protocol.ts";

export interface Generation extends Pick<Credentials, "counter" | "hostKey"> {
  /** The server's public keys at that time, as PEM blocks. */
  readonly trustedKeys: string;
}

/** Current credentials and earlier ones, newest first. */
export interface CredentialHistory extends Generation {
  /** Missing in a state written by an older agent. */
  readonly previous?: readonly Generation[];
}

/** More updates than a host gets between two backups. */
const GENERATIONS_MAX = 20;

/** The earlier generations of the state that follows this one, newest first. */
export function rememberGeneration({
  counter,
  hostKey,
  trustedKeys,
  previous = [],
}: CredentialHistory): Generation[] {
  const earlier = previous.filter((generation) => generation.hostKey !== hostKey);
  return [{ counter, hostKey, trustedKeys }, ...earlier].slice(0, GENERATIONS_MAX);
}

/** The state with the credentials of each earlier generation, newest first. */
export function earlierStates<State extends CredentialHistory>(state: State): State[] {
  const previous = rememberGeneration(state);
  return (state.previous ?? []).map((generation) => ({ ...state, ...generation, previous }));
}
