/** Nouns whose console pages also show data of another noun. */
import { type Change, listAuditLogs } from "@lightkeeper/contract";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { findDescriptor } from "../../infrastructure/nouns/noun-descriptors.ts";

/** Returns the change for consoles, with a change for every other noun it affects. */
export function withAffectedNouns(change: OrganizationChange): Change[] {
  const { organizationID: _, isReported, ...shown } = change;
  const { shownIn = [], reportsShownIn = [] } = findDescriptor(shown.noun) ?? {};
  // Changes have audit entries; reports do not.
  const changed = isReported ? [] : [...shownIn, listAuditLogs.noun];
  const nouns = [...reportsShownIn, ...changed];
  return [shown, ...nouns.map((noun) => ({ noun }))];
}
