/** What the pointer and the keys find on the map. */
import { formatCount } from "../lib/format.ts";
import { statusLabels } from "../references/host-filters.ts";
import type { MapTarget } from "./draw-map.ts";
import { centerOf, contains, type Point } from "./geometry.ts";
import { summarize } from "./map-groups.ts";
import { HEADER_HEIGHT, type MapLayout } from "./map-layout.ts";
import { tunnelsOf, type MapModel } from "./map-model.ts";

export const directions = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
} as const satisfies Record<string, Point>;
export type Direction = keyof typeof directions;

export function pointOf({ points, groups }: MapLayout, target: MapTarget): Point | undefined {
  if ("host" in target) return points[target.host];
  const group = groups[target.group];
  return group && centerOf(group.box);
}

/** Collapsed groups first, so that the closest group wins a tie. */
function listTargets({ points, groups }: MapLayout): MapTarget[] {
  const collapsed = groups.flatMap(({ isCollapsed }, group) => (isCollapsed ? [{ group }] : []));
  return [...collapsed, ...points.flatMap((point, host) => (point ? [{ host }] : []))];
}

/** The first host of a group, or the group itself while it's collapsed. */
export function enterGroup({ groups }: MapLayout, index: number): MapTarget | undefined {
  const placed = groups[index];
  const [host] = placed?.group.hosts ?? [];
  if (!placed) return undefined;
  return placed.isCollapsed || !host ? { group: index } : { host: host.position };
}

export const groupOf = ({ groupIndexes }: MapLayout, target: MapTarget): number =>
  "host" in target ? (groupIndexes[target.host] ?? -1) : target.group;

/** The nearest host or collapsed group in this direction; what is straight ahead counts as nearer. */
export function findNext(layout: MapLayout, from: MapTarget, direction: Direction): MapTarget | undefined {
  const start = pointOf(layout, from);
  if (!start) return undefined;
  const ahead = directions[direction];
  let found: { target: MapTarget; distance: number } | undefined;
  for (const target of listTargets(layout)) {
    const point = pointOf(layout, target);
    if (!point) continue;
    const [dx, dy] = [point.x - start.x, point.y - start.y];
    const forward = dx * ahead.x + dy * ahead.y;
    const sideways = Math.abs(dx * ahead.y) + Math.abs(dy * ahead.x);
    if (forward < 1 || sideways > forward * 3) continue;
    const distance = forward + 2 * sideways;
    if (!found || distance < found.distance) found = { target, distance };
  }
  return found?.target;
}

/** The group after or before the one with the target. */
export function stepGroup(
  layout: MapLayout,
  from: MapTarget | undefined,
  step: 1 | -1,
): MapTarget | undefined {
  const count = layout.groups.length;
  if (count === 0) return undefined;
  const index = from ? groupOf(layout, from) + step : 0;
  return enterGroup(layout, (index + count) % count);
}

export type Hit = { host: number } | { header: number };

/** The host, the subnet's router, or the header of the group at a point. */
export function findHit(layout: MapLayout, point: Point, tolerance: number): Hit | undefined {
  let nearest: { host: number; distance: number } | undefined;
  for (const [host, at] of layout.points.entries()) {
    if (!at) continue;
    const distance = Math.hypot(at.x - point.x, at.y - point.y);
    if (distance <= Math.max(tolerance, 9) && distance < (nearest?.distance ?? Infinity))
      nearest = { host, distance };
  }
  if (nearest) return { host: nearest.host };
  for (const [index, { box, isCollapsed, group, subnets }] of layout.groups.entries()) {
    const subnet = subnets.find((one) => contains(one.box, point));
    if (subnet) return { host: subnet.route.router };
    const header = isCollapsed ? box : { ...box, height: HEADER_HEIGHT - 4 };
    if (group.hosts.length > 0 && contains(header, point)) return { header: index };
  }
  return undefined;
}

/** What a screen reader says about a target. */
export function describeTarget(
  { hosts, tunnels }: MapModel,
  layout: MapLayout,
  { target, roleName }: { target: MapTarget; roleName: (roleID: string) => string | undefined },
): string {
  const placed = layout.groups[groupOf(layout, target)];
  if ("group" in target) {
    if (!placed) return "";
    const { group } = placed;
    return [group.label, formatCount(group.counts.hosts, "host"), "collapsed", summarize(group)]
      .filter(Boolean)
      .join(", ");
  }
  const host = hosts[target.host];
  if (!host) return "";
  const role = host.roleID === null ? undefined : roleName(host.roleID);
  const tunnelCount = formatCount(tunnelsOf(tunnels, host.position).length, "tunnel");
  return [
    host.name,
    host.infrastructure,
    statusLabels[host.mark],
    role,
    placed?.group.label === role ? undefined : placed?.group.label,
    host.isReporting ? tunnelCount : "tunnels not reported",
  ]
    .filter(Boolean)
    .join(", ");
}
