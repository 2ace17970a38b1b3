// Which guarantees about a subnet behind routers a change breaks.

import { addBit, noBits, positionsOf, removeBit, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { describeViolation, findBrokenSources } from "./broken-pairs.ts";
import { viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { findCommonAddress, findLocalRouters, isSelected } from "./guarantee.ts";
import { selectHosts, viewForGuarantee } from "./guarantee.ts";
import type { AccessGuarantee, Violation } from "./guarantee.ts";
import type { AffectedHosts } from "./guarantee-changes.ts";
import { tableOf } from "./network-index.ts";
import type { AccessHost } from "./network.ts";
import type { Opening } from "./openings.ts";
import { createRegionFinder } from "./region-openings.ts";
import { findUnservedAddress, listComparableRegions } from "./regions.ts";

/** The hosts of one network that are compared: all, or only those that changed. */
interface ComparedHosts {
  readonly view: ClassView;
  readonly sources: Bits;
  readonly positionOf: (host: AccessHost) => number | undefined;
}

/** What a network says about the parts of the subnet. */
interface Side {
  readonly view: ClassView;
  readonly findOpenings: (address: string) => readonly Opening[];
  readonly findBroken: (address: string) => Bits;
}

export function findNewSubnetViolation(
  affected: AffectedHosts,
  guarantee: AccessGuarantee,
  cidr: string,
): Violation | undefined {
  const { areRoutesAffected, changes } = affected;
  const isSource = (host: AccessHost | undefined) => host !== undefined && isSelected(guarantee.source, host);
  if (!areRoutesAffected && !changes.some(({ after }) => isSource(after))) return undefined;
  const addresses = listAddresses(affected, cidr);
  const [was, is] = (["before", "after"] as const).map((side) =>
    createSide(compareHosts(affected, guarantee, side), guarantee),
  ) as [Side, Side];
  for (const address of addresses) {
    const [source] = positionsOf(subtractBits(is.findBroken(address), was.findBroken(address)));
    if (source === undefined) continue;
    const place = { view: is.view, openings: is.findOpenings(address), destination: address };
    return describeViolation(guarantee, place, source);
  }
  return undefined;
}

/** An address in each part of the subnet that routes or rules may tell apart, before or after the change. */
function listAddresses({ before, after }: AffectedHosts, cidr: string): string[] {
  const regions = listComparableRegions(before, after);
  const unserved = findUnservedAddress(cidr, [after], regions);
  return [
    ...regions.flatMap((region) => findCommonAddress(region, cidr) ?? []),
    ...(unserved ? [unserved] : []),
  ];
}

function compareHosts(
  affected: AffectedHosts,
  guarantee: AccessGuarantee,
  side: "before" | "after",
): ComparedHosts {
  const { [side]: network, changes, areRoutesAffected } = affected;
  const all = viewForGuarantee(network, guarantee);
  if (areRoutesAffected)
    return {
      view: all,
      sources: selectHosts(network, guarantee.source),
      positionOf: ({ id }) => tableOf(network).slotByID.get(id),
    };
  const hosts = changes.map((change) => change[side]);
  const sources = noBits(hosts.length);
  for (const [position, host] of hosts.entries())
    if (host && isSelected(guarantee.source, host)) addBit(sources, position);
  const positions = new Map(hosts.map((host, position) => [host?.id, position]));
  return {
    view: viewClasses(network, hosts, (host) => all.isConnected(host)),
    sources,
    positionOf: ({ id }) => positions.get(id),
  };
}

function createSide({ view, sources, positionOf }: ComparedHosts, guarantee: AccessGuarantee): Side {
  const findRegionOpenings = createRegionFinder(view);
  const findOpenings = (address: string) => findRegionOpenings({ address });
  return {
    view,
    findOpenings,
    findBroken: (address) => {
      const remote = sources.slice();
      for (const router of findLocalRouters(view.network, address)) {
        const position = positionOf(router);
        if (position !== undefined) removeBit(remote, position);
      }
      return findBrokenSources(guarantee, findOpenings(address), remote);
    },
  };
}
