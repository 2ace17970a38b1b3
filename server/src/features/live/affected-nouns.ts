/** Nouns whose console pages also show data of another noun. */
import { type Change, listAuditLogs } from "@lightkeeper/contract";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";

/** Affected by a change, for example through host counts or host configurations. */
const AFFECTED_BY_CHANGE: Record<string, readonly string[]> = {
  hosts: ["roles", "tags", "networks", "certificate-authorities"],
  networks: ["hosts", "get-started"],
  "certificate-authorities": ["hosts", "networks"],
  roles: ["hosts"],
  tags: ["hosts"],
  routes: ["hosts", "tags"],
  // A member's role decides what their console offers.
  members: ["auth"],
  // Consoles read the organization's name with the current user.
  organizations: ["auth"],
};
/** Also affected by reports of hosts. */
const AFFECTED_BY_REPORT: Record<string, readonly string[]> = { hosts: ["get-started"] };

/** Returns the change for consoles, with a change for every other noun it affects. */
export function withAffectedNouns(change: OrganizationChange): Change[] {
  const { organizationID: _, isReported, ...shown } = change;
  // Changes have audit entries; reports do not.
  const changed = isReported ? [] : [...(AFFECTED_BY_CHANGE[shown.noun] ?? []), listAuditLogs.noun];
  const nouns = [...(AFFECTED_BY_REPORT[shown.noun] ?? []), ...changed];
  return [shown, ...nouns.map((noun) => ({ noun }))];
}
