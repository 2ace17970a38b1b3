import type { AccessPreview, BrokenGuarantee } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";

/** The preview of a change that opens and closes nothing. */
export const emptyPreview: AccessPreview = {
  opened: [],
  openedPairCount: 0,
  closed: [],
  closedPairCount: 0,
  affectedHostCount: 0,
  affectedHosts: [],
  brokenGuarantees: [],
  ownAccessLost: [],
};

/** Adds the guarantees that prevented saving and that the preview lacks. */
export function mergeBroken(
  preview: AccessPreview | undefined,
  violated: readonly BrokenGuarantee[],
): AccessPreview | undefined {
  const { brokenGuarantees = [] } = preview ?? {};
  const known = new Set(brokenGuarantees.map(({ id }) => id));
  const others = violated.filter(({ id }) => !known.has(id));
  if (others.length === 0) return preview;
  return { ...(preview ?? emptyPreview), brokenGuarantees: [...brokenGuarantees, ...others] };
}

export const hasNoChange = ({ opened, closed, brokenGuarantees, ownAccessLost }: AccessPreview): boolean =>
  opened.length + closed.length + brokenGuarantees.length + ownAccessLost.length === 0;

export const NO_CHANGE = "No change to access.";

/** "Breaks a guarantee", "Breaks 2 guarantees" */
export const brokenTitle = (count: number): string =>
  count === 1 ? "Breaks a guarantee" : `Breaks ${formatNumber(count)} guarantees`;

/** "Opens 54 pairs of hosts. 18 hosts get a new configuration." */
export function changesTitle(preview: AccessPreview): string {
  const { openedPairCount, closedPairCount, affectedHostCount } = preview;
  const changes = [
    openedPairCount > 0 && `Opens ${formatCount(openedPairCount, "pair")} of hosts.`,
    closedPairCount > 0 && `Closes ${formatCount(closedPairCount, "pair")} of hosts.`,
    openedPairCount + closedPairCount === 0 && NO_CHANGE,
    affectedHostCount > 0 &&
      `${formatCount(affectedHostCount, "host gets", "hosts get")} a new configuration.`,
  ];
  return changes.filter(Boolean).join(" ");
}

/** The preview in one line, for screen readers. */
export function previewTitle(preview: AccessPreview | undefined): string {
  if (!preview) return "";
  const { brokenGuarantees, ownAccessLost } = preview;
  const warnings = [
    ownAccessLost.length > 0 && "You would lose your own access.",
    brokenGuarantees.length > 0 && `${brokenTitle(brokenGuarantees.length)}.`,
  ];
  return [...warnings, changesTitle(preview)].filter(Boolean).join(" ");
}
