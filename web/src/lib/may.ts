/** What a person may do, by the contract's own rule. It shapes what the console offers; the server decides. */
import { isAtLeast, roleNeeded, type Endpoint } from "@lightkeeper/contract";
import type { Person } from "./current-user.ts";

/** Whether a call is open to this person. Until they are known everything is, as for most people it is. */
export function may(person: Person | undefined, endpoint: Endpoint): boolean {
  if (!person) return true;
  const isForThem = endpoint.access.kind !== "user" || person.actorType === "user";
  return isForThem && isAtLeast(person.actor.role, roleNeeded(endpoint));
}

/** Whether this person changes anything but what is their own. */
export const mayWrite = (person: Person | undefined): boolean =>
  !person || isAtLeast(person.actor.role, "administrator");
