/** The lines of tunnels: one per pair of groups, and those of one host. */
import { formatNumber } from "../lib/format.ts";
import { centerOf, contains, overlaps, textWidth, type Box, type Point } from "./geometry.ts";
import type { MapLayout, PlacedGroup } from "./map-layout.ts";
import { peerOf, type MapTunnel } from "./map-model.ts";

export interface MapLine {
  /** SVG path data. */
  readonly d: string;
  readonly isDashed: boolean;
  readonly width: number;
  /** The number of tunnels, with its place. */
  readonly count?: { readonly point: Point; readonly text: string };
}

/** More lines would hide each other; those with the most tunnels are drawn. */
const GROUP_LINES_MAX = 200;
/** With more tunnels, a host has one line per group. */
const HOST_LINES_MAX = 200;
const SAMPLES = 16;
const COUNT_HEIGHT = 20;
/** How far a line may go beyond the groups. */
const BEYOND_MAX = 20;
/** How far a line bends, as a share of its length, until it passes no other group. */
const BENDS = [0, 0.18, -0.18, 0.35, -0.35, 0.6, -0.6, 1, -1, 1.5, -1.5];

interface Curve {
  from: Point;
  control: Point;
  to: Point;
}

function bendCurve(from: Point, to: Point, bend: number): Curve {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return { from, to, control: { x: (from.x + to.x) / 2 + dy * bend, y: (from.y + to.y) / 2 - dx * bend } };
}

function pointAt({ from, control, to }: Curve, t: number): Point {
  const at = (a: number, b: number, c: number) => (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t ** 2 * c;
  return { x: at(from.x, control.x, to.x), y: at(from.y, control.y, to.y) };
}

const round = (value: number) => Math.round(value * 10) / 10;

const toPath = ({ from, control, to }: Curve): string =>
  `M${round(from.x)} ${round(from.y)}Q${round(control.x)} ${round(control.y)} ${round(to.x)} ${round(to.y)}`;

interface Pair {
  a: number;
  b: number;
  count: number;
  relayedCount: number;
}

function countPairs({ groupIndexes, groups }: MapLayout, tunnels: readonly MapTunnel[]): Pair[] {
  const pairs = new Map<number, Pair>();
  for (const { first, second, path } of tunnels) {
    const [one, other] = [groupIndexes[first] ?? -1, groupIndexes[second] ?? -1];
    if (one === other || one < 0 || other < 0) continue;
    const [a, b] = [Math.min(one, other), Math.max(one, other)];
    const key = a * groups.length + b;
    const pair = pairs.get(key) ?? { a, b, count: 0, relayedCount: 0 };
    pair.count += 1;
    if (path === "relayed") pair.relayedCount += 1;
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

const boxesOf = ({ box, subnets }: PlacedGroup): Box[] => [box, ...subnets.map((subnet) => subnet.box)];

/** The box of a count whose middle is at this point. */
function countBox({ x, y }: Point, text: string): Box {
  const width = textWidth(text, 11) + 12;
  return { x: x - width / 2, y: y - COUNT_HEIGHT / 2, width, height: COUNT_HEIGHT };
}

/** A place for the count on the curve that nothing covers, as close to its middle as possible. */
function findFreePoint(curve: Curve, text: string, taken: readonly Box[]): Point | undefined {
  for (let step = 0; step < SAMPLES; step++) {
    const distance = (Math.ceil(step / 2) / SAMPLES) * (step % 2 === 0 ? 1 : -1);
    const point = pointAt(curve, 0.5 + distance);
    if (!taken.some((box) => overlaps(box, countBox(point, text)))) return point;
  }
  return undefined;
}

/** Whether the curve goes through another group, or out of the picture. */
function crossesGroup(curve: Curve, layout: MapLayout, { a, b }: Pair): boolean {
  const others = layout.groups.flatMap((group, index) =>
    index === a || index === b ? group.subnets.map(({ box }) => box) : boxesOf(group),
  );
  for (let sample = 1; sample < SAMPLES; sample++) {
    const point = pointAt(curve, sample / SAMPLES);
    if (!contains(layout.bounds, point, BEYOND_MAX) || others.some((box) => contains(box, point, 4)))
      return true;
  }
  return false;
}

/** `taken` is where no count may be, and grows by this one. */
function groupLine(layout: MapLayout, pair: Pair, taken: Box[]): MapLine | undefined {
  const [from, to] = [layout.groups[pair.a], layout.groups[pair.b]];
  if (!from || !to) return undefined;
  const curves = BENDS.map((bend) => bendCurve(centerOf(from.box), centerOf(to.box), bend));
  const curve = curves.find((one) => !crossesGroup(one, layout, pair)) ?? curves[0]!;
  const text = formatNumber(pair.count);
  const point = findFreePoint(curve, text, taken);
  if (point) taken.push(countBox(point, text));
  return {
    d: toPath(curve),
    isDashed: pair.relayedCount === pair.count,
    width: 1 + Math.min(4, Math.sqrt(pair.count) / 4),
    ...(point && { count: { point, text } }),
  };
}

/** Tunnels between groups: one line per pair, wider for more tunnels, dashed if all are relayed. */
export function linesOfGroups(layout: MapLayout, tunnels: readonly MapTunnel[]): MapLine[] {
  const pairs = countPairs(layout, tunnels).toSorted((x, y) => y.count - x.count || x.a - y.a || x.b - y.b);
  const taken = layout.groups.flatMap(boxesOf);
  return pairs.slice(0, GROUP_LINES_MAX).flatMap((pair) => groupLine(layout, pair, taken) ?? []);
}

/** Where the lines of a host start: the host itself, or its collapsed group. */
export function anchorOf({ points, groups, groupIndexes }: MapLayout, position: number): Point | undefined {
  const group = groups[groupIndexes[position] ?? -1];
  return points[position] ?? (group && centerOf(group.box));
}

export interface HostLines {
  readonly lines: readonly MapLine[];
  /** The hosts at the other ends, and the relays between. */
  readonly peers: ReadonlySet<number>;
}

/** The tunnels of a host, relayed ones through their relay. */
export function linesOfHost(layout: MapLayout, tunnels: readonly MapTunnel[], position: number): HostLines {
  const start = anchorOf(layout, position);
  const peers = new Set(
    tunnels.flatMap((tunnel) => [peerOf(tunnel, position), ...(tunnel.relay === null ? [] : [tunnel.relay])]),
  );
  if (!start) return { lines: [], peers };
  if (tunnels.length > HOST_LINES_MAX) return { lines: linesToGroups(layout, tunnels, position), peers };
  const paths = new Map<string, MapLine>();
  const add = (from: Point, to: Point | undefined, isDashed: boolean) => {
    if (!to) return;
    const d = toPath(bendCurve(from, to, 0.12));
    paths.set(`${d}${isDashed}`, { d, isDashed, width: 1.6 });
  };
  for (const tunnel of tunnels) {
    const peer = anchorOf(layout, peerOf(tunnel, position));
    const relay = tunnel.relay === null ? undefined : anchorOf(layout, tunnel.relay);
    if (relay) add(start, relay, true);
    add(relay ?? start, peer, tunnel.path === "relayed");
  }
  return { lines: [...paths.values()], peers };
}

function linesToGroups(layout: MapLayout, tunnels: readonly MapTunnel[], position: number): MapLine[] {
  const start = anchorOf(layout, position);
  const counts = new Map<number, { count: number; relayedCount: number }>();
  for (const tunnel of tunnels) {
    const index = layout.groupIndexes[peerOf(tunnel, position)] ?? -1;
    const { count, relayedCount } = counts.get(index) ?? { count: 0, relayedCount: 0 };
    counts.set(index, {
      count: count + 1,
      relayedCount: relayedCount + Number(tunnel.path === "relayed"),
    });
  }
  return [...counts].flatMap(([index, { count, relayedCount }]) => {
    const group = layout.groups[index];
    if (!start || !group) return [];
    const curve = bendCurve(start, centerOf(group.box), 0.12);
    const text = formatNumber(count);
    const point = findFreePoint(curve, text, layout.groups.flatMap(boxesOf));
    const label = point && { count: { point, text } };
    return [{ d: toPath(curve), isDashed: relayedCount === count, width: 1.6, ...label }];
  });
}
