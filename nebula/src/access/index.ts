// Who reaches whom, before and after a change: exact answers for hosts, classes of hosts and whole networks.

export { blastRadius } from "./blast-radius.ts";
export type { BlastRadius, BlastStep } from "./blast-radius.ts";
export { diff } from "./diff.ts";
export type { AccessChange, AccessDiff } from "./diff.ts";
export { findCell, matrix } from "./matrix.ts";
export type { AccessClass, AccessMatrix } from "./matrix.ts";
export type { AccessHost, AccessNetwork, AccessRoute, AccessTag, Flow, Traffic } from "./network.ts";
export type { TrafficRange } from "./port-ranges.ts";
export { reach } from "./reach.ts";
export type { Reach, ReachGroup, RegionReach } from "./reach.ts";
export type { Region } from "./regions.ts";
export type { SmallestRule } from "./smallest-rule.ts";
export { checkFlow, verdict } from "./verdict.ts";
export type { FailedCheck, Verdict } from "./verdict.ts";
