// Whom a host reaches, and who reaches it.

import type { InboundRule } from "../firewall.ts";
import { findCell } from "./matrix.ts";
import type { AccessClass, AccessMatrix } from "./matrix.ts";
import type { AccessHost } from "./network.ts";
import type { TrafficRange } from "./port-ranges.ts";
import type { Region } from "./regions.ts";

export interface ReachGroup {
  readonly class: AccessClass;
  /** The hosts of the class without the host itself. */
  readonly hosts: readonly AccessHost[];
  readonly traffic: readonly TrafficRange[];
  readonly rules: readonly InboundRule[];
}

/** A region behind a router that the host reaches. */
export interface RegionReach {
  readonly region: Region;
  readonly traffic: readonly TrafficRange[];
  readonly rules: readonly InboundRule[];
}

export interface Reach {
  readonly inbound: readonly ReachGroup[];
  readonly outbound: readonly ReachGroup[];
  readonly outboundRegions: readonly RegionReach[];
}

export function reach(given: AccessMatrix, host: AccessHost): Reach {
  const { classes } = given;
  const position = classes.findIndex(({ hosts }) => hosts.includes(host));
  if (position === -1) throw new RangeError(`${host.id} isn't in the network`);
  const groupsOf = (cellOf: (other: number) => ReturnType<typeof findCell>) =>
    classes
      .map((each, other) => ({
        class: each,
        hosts: each.hosts.filter((member) => member !== host),
        ...cellOf(other),
      }))
      .filter(({ hosts, traffic }) => hosts.length > 0 && traffic.length > 0);
  return {
    inbound: groupsOf((other) => findCell(given, other, position)),
    outbound: groupsOf((other) => findCell(given, position, other)),
    outboundRegions: given.regions
      .map((region, index) => ({ region, ...findCell(given, position, classes.length + index) }))
      .filter(({ traffic }) => traffic.length > 0),
  };
}
