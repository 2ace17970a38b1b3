/** Where a console shows more of a noun than under its own name. */
import { type Change, listAuditLogs } from "@lightkeeper/contract";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";

/** Counts of hosts, subscriptions to routes, and what stands in the configuration of a host. */
const CHANGED: Record<string, readonly string[]> = {
  hosts: ["roles", "tags", "networks", "certificate-authorities"],
  networks: ["hosts", "get-started"],
  "certificate-authorities": ["hosts", "networks"],
  roles: ["hosts"],
  tags: ["hosts"],
  routes: ["hosts", "tags"],
  // Somebody's role decides what their console offers.
  members: ["auth"],
  // Consoles read the organization's name with the current user.
  organizations: ["auth"],
};
/** Also where nobody changed it, and it was only heard of. */
const HEARD: Record<string, readonly string[]> = { hosts: ["get-started"] };

/** The change as consoles are told of it, and with it whatever else it changes on their screens. */
export function shownChanges(change: OrganizationChange): Change[] {
  const { organizationID: _, isHeard, ...told } = change;
  // Whatever was changed stands in the log; what was heard does not.
  const changed = isHeard ? [] : [...(CHANGED[told.noun] ?? []), listAuditLogs.noun];
  const nouns = [...(HEARD[told.noun] ?? []), ...changed];
  return [told, ...nouns.map((noun) => ({ noun }))];
}
