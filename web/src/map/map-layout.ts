/** Where groups, hosts and subnets are drawn. The same hosts always have the same layout. */
import type { MapRoute } from "@lightkeeper/contract";
import { boundsOf, textWidth, type Box, type Point } from "./geometry.ts";
import { summarize, type MapGroup } from "./map-groups.ts";
import { infrastructures, type Infrastructure, type MapHost } from "./map-model.ts";

/** Groups with more hosts start collapsed. */
export const COLLAPSED_ABOVE = 400;

export interface PlacedSubnet {
  readonly route: MapRoute;
  readonly box: Box;
}

export interface PlacedGroup {
  readonly group: MapGroup;
  readonly box: Box;
  readonly isCollapsed: boolean;
  readonly subnets: readonly PlacedSubnet[];
}

export interface MapLayout {
  readonly groups: readonly PlacedGroup[];
  /** By position of the host; undefined in a collapsed group. */
  readonly points: readonly (Point | undefined)[];
  /** By position of the host: the index of its group. */
  readonly groupIndexes: readonly number[];
  readonly bounds: Box;
}

const PITCH = 17;
const PADDING = 14;
export const HEADER_HEIGHT = 36;
const LABEL_SIZE = 12.5;
const WIDTH_MIN = 164;
const COLLAPSED_HEIGHT = 56;
/** A longer summary is cut off. */
const SUMMARY_WIDTH_MAX = 230;
/** The space for the lines between groups. */
const GAP = { x: 72, y: 64 };
const SUBNET = { width: 146, height: 40, gap: 8, distance: 29 };
const INFRASTRUCTURE_HEIGHT = 26;
/** The symbol with its word. */
const infrastructureWidths: Readonly<Record<Infrastructure, number>> = {
  lighthouse: 87,
  relay: 56,
  router: 62,
};
/** Wider than high, as screens are. */
const ASPECT = 1.5;
const COLUMNS_MAX = 40;

/** A group with its subnets, relative to its own corner. */
interface Block extends Omit<PlacedGroup, "box"> {
  readonly width: number;
  readonly height: number;
  readonly box: Box;
  readonly points: ReadonlyMap<number, Point>;
}

export interface LayoutOptions {
  routes: readonly MapRoute[];
  hostCount: number;
  isCollapsed: (group: MapGroup) => boolean;
}

export function layOutMap(groups: readonly MapGroup[], options: LayoutOptions): MapLayout {
  const blocks = groups.map((group) =>
    group.hosts.length === 0 || options.isCollapsed(group)
      ? collapsedBlock(group)
      : expandedBlock(group, options.routes),
  );
  const corners = placeInRows(blocks);
  const points: (Point | undefined)[] = Array.from({ length: options.hostCount });
  const groupIndexes: number[] = Array.from({ length: options.hostCount }, () => -1);
  const placed = blocks.map((block, index): PlacedGroup => {
    const corner = corners[index] ?? { x: 0, y: 0 };
    for (const { position } of block.group.hosts) groupIndexes[position] = index;
    for (const [position, point] of block.points) points[position] = move(point, corner);
    return {
      group: block.group,
      isCollapsed: block.isCollapsed,
      box: { ...block.box, ...move(block.box, corner) },
      subnets: block.subnets.map(({ route, box }) => ({ route, box: { ...box, ...move(box, corner) } })),
    };
  });
  const boxes = placed.flatMap(({ box, subnets }) => [box, ...subnets.map((subnet) => subnet.box)]);
  return { groups: placed, points, groupIndexes, bounds: boundsOf(boxes) };
}

const move = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y });

/** The name, the count and the sign that opens the group. */
const headerWidth = ({ label, counts }: MapGroup) =>
  Math.min(220, textWidth(label, LABEL_SIZE)) + textWidth(`${counts.hosts} hosts`, 12) + 54;

function collapsedBlock(group: MapGroup): Block {
  const summaryWidth = Math.min(SUMMARY_WIDTH_MAX, textWidth(summarize(group), 11) + 40);
  const width = Math.max(WIDTH_MIN, headerWidth(group), summaryWidth);
  const box = { x: 0, y: 0, width, height: COLLAPSED_HEIGHT };
  return { group, isCollapsed: true, box, subnets: [], points: new Map(), width, height: COLLAPSED_HEIGHT };
}

/** Enough for the first two lighthouses, relays and routers beside each other. */
function infrastructureWidth({ hosts }: MapGroup): number {
  const kinds = infrastructures.flatMap((kind) =>
    hosts.flatMap((host) => (host.infrastructure === kind ? [kind] : [])),
  );
  return kinds.slice(0, 2).reduce((width, kind) => width + infrastructureWidths[kind], PADDING + 6);
}

const isPlain = ({ infrastructure }: MapHost) => infrastructure === undefined;

function expandedBlock(group: MapGroup, routes: readonly MapRoute[]): Block {
  const plain = group.hosts.filter(isPlain);
  const widthMin = Math.max(WIDTH_MIN, headerWidth(group), infrastructureWidth(group));
  const columns = Math.max(
    Math.ceil(Math.sqrt(plain.length * 2.2)),
    Math.ceil((widthMin - 2 * PADDING + 5) / PITCH),
  );
  const width = columns * PITCH + 2 * PADDING - 5;
  const rows = Math.ceil(plain.length / columns);
  const points = new Map(
    plain.map(({ position }, index): [number, Point] => [
      position,
      {
        x: PADDING + (index % columns) * PITCH + 6,
        y: HEADER_HEIGHT + Math.floor(index / columns) * PITCH + 6,
      },
    ]),
  );
  const bottom = placeInfrastructure(group, width, { points, top: HEADER_HEIGHT + rows * PITCH });
  const box = { x: 0, y: 0, width, height: bottom };
  const subnets = placeSubnets(group, routes, box);
  const whole = boundsOf([box, ...subnets.map((subnet) => subnet.box)]);
  return { group, isCollapsed: false, box, subnets, points, width: whole.width, height: whole.height };
}

/** Lighthouses, relays and routers below the other hosts, in lines. Returns where the group ends. */
function placeInfrastructure(
  group: MapGroup,
  width: number,
  { points, top }: { points: Map<number, Point>; top: number },
): number {
  const hosts = infrastructures.flatMap((kind) =>
    group.hosts.filter(({ infrastructure }) => infrastructure === kind),
  );
  if (hosts.length === 0) return top + 8;
  let [x, y] = [PADDING, top + 18];
  for (const { position, infrastructure = "router" } of hosts) {
    const needed = infrastructureWidths[infrastructure];
    if (x > PADDING && x + needed > width - 6) [x, y] = [PADDING, y + INFRASTRUCTURE_HEIGHT];
    points.set(position, { x: x + 8, y });
    x += needed;
  }
  return y + 20;
}

/** Below the group, as many beside each other as the group is wide. */
function placeSubnets(group: MapGroup, routes: readonly MapRoute[], box: Box): PlacedSubnet[] {
  const positions = new Set(group.hosts.map(({ position }) => position));
  const perRow = Math.max(1, Math.floor((box.width + SUBNET.gap) / (SUBNET.width + SUBNET.gap)));
  return routes
    .filter(({ router, subnets }) => positions.has(router) && subnets.length > 0)
    .map((route, index) => ({
      route,
      box: {
        x: (index % perRow) * (SUBNET.width + SUBNET.gap),
        y: box.height + SUBNET.distance + Math.floor(index / perRow) * (SUBNET.height + SUBNET.gap),
        width: SUBNET.width,
        height: SUBNET.height,
      },
    }));
}

/** Fills rows from left to right, in order; returns the corner of each block. */
function fillRows(blocks: readonly Block[], limit: number): Point[] {
  let [x, y, rowHeight] = [0, 0, 0];
  return blocks.map(({ width, height }) => {
    if (x > 0 && x + width > limit) [x, y, rowHeight] = [0, y + rowHeight + GAP.y, 0];
    const corner = { x, y };
    x += width + GAP.x;
    rowHeight = Math.max(rowHeight, height);
    return corner;
  });
}

/** Of all widths, the one whose picture fits the screen best. */
function placeInRows(blocks: readonly Block[]): Point[] {
  const misfitOf = (corners: readonly Point[]) => {
    const { width, height } = boundsOf(corners.map((corner, index) => ({ ...blocks[index]!, ...corner })));
    return Math.abs(Math.log(width / height / ASPECT));
  };
  let [best, limit]: [Point[], number] = [[], 0];
  for (const { width } of blocks.slice(0, COLUMNS_MAX)) {
    limit += width + (limit > 0 ? GAP.x : 0);
    const corners = fillRows(blocks, limit);
    if (best.length === 0 || misfitOf(corners) < misfitOf(best)) best = corners;
  }
  return best;
}
