// Who reaches whom in a whole network, class by class.

import type { InboundRule } from "../firewall.ts";
import { hasBit } from "./bits.ts";
import { findTraits, signatureOf, viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { groupBy } from "./group-by.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpenings } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { joinTraffic } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { createRegionFinder } from "./region-openings.ts";
import { listRegions } from "./regions.ts";
import type { Region } from "./regions.ts";

export interface AccessClass {
  readonly roleID: string | null;
  /** The tags that all hosts of the class have and that a rule or a route mentions. */
  readonly tags: readonly string[];
  /** Whether the hosts can have tunnels; others reach nobody. */
  readonly isConnected: boolean;
  readonly hosts: readonly AccessHost[];
}

export interface AccessMatrix {
  readonly classes: readonly AccessClass[];
  readonly regions: readonly Region[];
  /** What each class accepts, and then what each region accepts. */
  readonly openings: readonly (readonly Opening[])[];
  readonly view: ClassView;
}

export function matrix(network: AccessNetwork): AccessMatrix {
  const traits = findTraits(network);
  const hosts = groupBy(network.hosts, (host) => signatureOf(network, traits, host));
  const view = viewClasses(
    network,
    hosts.map(([first]) => first),
  );
  const classes = hosts.map((members, position): AccessClass => {
    const [first] = members;
    return {
      roleID: first!.roleID,
      tags: first!.tags.filter((tag) => traits.relevantTags.has(tag)).toSorted(),
      isConnected: hasBit(view.connected, position),
      hosts: members,
    };
  });
  const openings = classes.map(({ isConnected, hosts: [first] }) =>
    isConnected ? findOpenings(view, first!) : [],
  );
  const regions = listRegions(network);
  const ofRegions = regions.map(createRegionFinder(view));
  return { classes, regions, openings: [...openings, ...ofRegions], view };
}

/** What hosts of a class may send to a class or a region, which comes after the classes, and by which rules. */
export function findCell(
  { openings }: AccessMatrix,
  source: number,
  destination: number,
): { traffic: TrafficRange[]; rules: InboundRule[] } {
  const matching = openings[destination]!.filter(({ sources }) => hasBit(sources, source));
  return {
    traffic: joinTraffic(matching.flatMap(({ traffic }) => traffic)),
    rules: matching.map(({ rule }) => rule),
  };
}
