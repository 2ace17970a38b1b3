/** What the console offers a person, by the contract's rules. The server enforces them. */
import { isAtLeast, requiredRoleOf, type Endpoint } from "@lightkeeper/contract";
import type { Person } from "./current-user.ts";

/** True while the person is still loading: for most people, every call is allowed. */
export function canCall(person: Person | undefined, endpoint: Endpoint): boolean {
  if (!person) return true;
  const acceptsActor = endpoint.access.kind !== "user" || person.actorType === "user";
  return acceptsActor && isAtLeast(person.actor.role, requiredRoleOf(endpoint));
}

/** Whether the person may change anything besides their own account. */
export const canWrite = (person: Person | undefined): boolean =>
  !person || isAtLeast(person.actor.role, "administrator");
