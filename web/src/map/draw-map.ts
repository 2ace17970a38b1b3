/** Draws the map with any painter, from back to front. */
import { fitText, textWidth, type Point } from "./geometry.ts";
import type { HostLines, MapLine } from "./map-lines.ts";
import { summarize } from "./map-groups.ts";
import type { MapLayout, PlacedGroup, PlacedSubnet } from "./map-layout.ts";
import type { Infrastructure, MapHost, MapModel } from "./map-model.ts";
import { ringPath, type MapColors, type Painter, type PlacedMark } from "./painter.ts";
import { formatCount } from "../lib/format.ts";

/** A host, or a collapsed group by its index. */
export type MapTarget = { readonly host: number } | { readonly group: number };

export interface MapScene {
  readonly model: MapModel;
  readonly layout: MapLayout;
  readonly lines: readonly MapLine[];
  /** The tunnels of the selected host. */
  readonly selectedLines: HostLines | undefined;
  readonly selected: number | undefined;
  /** The hosts that match the search; undefined without a search. */
  readonly matches: ReadonlySet<number> | undefined;
}

export interface Highlights {
  /** Where the keyboard is. */
  readonly cursor?: MapTarget | undefined;
  readonly hovered?: number | undefined;
  /** How much larger the names of groups are, so that they can be read from far away. */
  readonly nameScale?: number;
  /** The names of hosts are readable at this zoom. */
  readonly withNames?: boolean;
  /** What the screen shows; everything by default. */
  readonly isVisible?: (point: Point) => boolean;
}

const infrastructureShapes: Readonly<
  Record<Infrastructure, { outline: string; symbol: string; word: string }>
> = {
  lighthouse: {
    outline: "m0 -9l8 6v12h-16v-12z",
    symbol: "m-2 0h4l1 6h-6zm2 -4v1.5m-5 1.5l2 -.5m8 .5l-2 -.5",
    word: "Lighthouse",
  },
  relay: {
    outline: "m0 -10l10 10l-10 10l-10 -10z",
    symbol: "m-4 -2h7l-2 -2m3 6h-7l2 2",
    word: "Relay",
  },
  router: {
    outline: "m-9 -8h18v16h-18z",
    symbol: "m-5 0h10m-3 -3l3 3l-3 3m-4 -6l-3 3l3 3",
    word: "Router",
  },
};

const at = ({ x, y }: Point, d: string) => `M${x} ${y}${d}`;

function drawLine(painter: Painter, { d, isDashed, width }: MapLine, color: string, opacity?: number): void {
  painter.path(d, { stroke: { color, width, dash: isDashed ? [4.5, 4.5] : undefined }, opacity });
}

function drawCount(painter: Painter, colors: MapColors, { count }: MapLine): void {
  if (!count) return;
  const { point, text } = count;
  const width = textWidth(text, 11) + 10;
  painter.box({ x: point.x - width / 2, y: point.y - 8, width, height: 16 }, 8, {
    fill: colors.surface,
    stroke: { color: colors.line, width: 1 },
  });
  painter.text(
    text,
    { x: point.x, y: point.y + 3.7 },
    { color: colors.textMuted, size: 10.5, align: "middle" },
  );
}

interface GroupLook {
  matchCount: number | undefined;
  nameScale: number | undefined;
}

function drawGroup(painter: Painter, colors: MapColors, placed: PlacedGroup, look: GroupLook): void {
  const { group, box, isCollapsed } = placed;
  const { matchCount, nameScale = 1 } = look;
  // Larger names need the space of an open group with many hosts.
  const scale = isCollapsed || box.width < 320 ? 1 : nameScale;
  const isOverview = group.hosts.length === 0;
  painter.box(box, 12, { fill: colors.group, stroke: { color: colors.lineStrong, width: 1 } });
  const sign = isCollapsed ? "m0 0l4 4l-4 4" : "m-2 2l4 4l4 -4";
  if (!isOverview)
    painter.path(at({ x: box.x + 14, y: box.y + 17 }, sign), {
      stroke: { color: colors.textFaint, width: 1.3 },
    });
  const count = formatCount(group.counts.hosts, "host");
  const room = box.width - 54 - textWidth(count, 12 * scale);
  const baseline = box.y + 25 + 2 * (scale - 1);
  painter.text(
    fitText(group.label, room + 12, 12.5 * scale),
    { x: box.x + 27, y: baseline },
    {
      color: colors.text,
      size: 12.5 * scale,
      weight: 600,
    },
  );
  painter.text(
    count,
    { x: box.x + box.width - 12, y: baseline },
    {
      color: colors.textMuted,
      size: 12 * scale,
      align: "end",
    },
  );
  if (!isCollapsed) return;
  const matches = matchCount ? formatCount(matchCount, "match", "matches") : undefined;
  painter.text(
    fitText(matches ?? summarize(group), box.width - 36, 11),
    { x: box.x + 27, y: box.y + 43 },
    {
      color: matches ? colors.accentText : colors.textMuted,
      size: 11,
      weight: matches ? 600 : 400,
    },
  );
}

function drawSubnet(
  painter: Painter,
  colors: MapColors,
  scene: MapScene,
  { route, box }: PlacedSubnet,
): void {
  const router = scene.layout.points[route.router];
  const { selected, selectedLines } = scene;
  const isUsed = selected === route.router || selectedLines?.peers.has(route.router) === true;
  const color = isUsed ? colors.accentText : colors.textFaint;
  if (router) {
    const x = Math.min(Math.max(router.x, box.x + 8), box.x + box.width - 8);
    const d = `M${router.x} ${router.y}V${box.y - 14}L${x} ${box.y}`;
    painter.path(d, { stroke: { color, width: 3.2 } });
    painter.path(d, { stroke: { color: colors.surface, width: 1.2 } });
  }
  painter.box(box, 4, {
    fill: isUsed ? colors.accentWash : colors.surface,
    stroke: { color: isUsed ? colors.accentText : colors.lineStrong, width: 1 },
  });
  const [first = "", ...rest] = route.subnets;
  const subnets = rest.length > 0 ? `${first} +${rest.length}` : first;
  painter.text(subnets, { x: box.x + 12, y: box.y + 17 }, { color: colors.text, size: 11, mono: true });
  painter.text(
    fitText(`Subnet · ${route.name}`, box.width - 18, 11),
    { x: box.x + 12, y: box.y + 31 },
    {
      color: colors.textMuted,
      size: 11,
    },
  );
}

function drawInfrastructure(painter: Painter, colors: MapColors, host: MapHost, point: Point, isOn: boolean) {
  if (!host.infrastructure) return;
  const { outline, symbol, word } = infrastructureShapes[host.infrastructure];
  painter.path(at(point, outline), {
    fill: colors.surface,
    stroke: { color: isOn ? colors.accentText : colors.textMuted, width: 1.4 },
  });
  painter.path(at(point, symbol), { stroke: { color: colors.text, width: 1.3 } });
  painter.text(word, { x: point.x + 13, y: point.y + 4 }, { color: colors.text, size: 11, weight: 500 });
  if (host.mark !== "online")
    painter.marks([{ mark: host.mark, x: point.x + 8, y: point.y - 8, isFaded: false, isPeer: false }]);
}

function drawHosts(painter: Painter, colors: MapColors, scene: MapScene, { isVisible }: Highlights): void {
  const { model, layout, matches, selectedLines } = scene;
  const placed: PlacedMark[] = [];
  for (const { position, infrastructure, mark } of model.hosts) {
    const point = layout.points[position];
    if (!point || infrastructure || isVisible?.(point) === false) continue;
    const isFaded = matches !== undefined && !matches.has(position);
    const isPeer = mark === "online" && selectedLines?.peers.has(position) === true;
    placed.push({ mark, x: point.x, y: point.y, isFaded, isPeer });
  }
  painter.marks(placed);
  for (const host of model.infrastructure) {
    const point = layout.points[host.position];
    const isPeer = selectedLines?.peers.has(host.position) === true;
    if (point) drawInfrastructure(painter, colors, host, point, isPeer);
  }
  drawRings(painter, colors, scene);
}

/** More rings would take long to draw; that the other hosts are faded is enough. */
const RINGS_MAX = 300;

/** Around the peers of the selected host, and around the matches of the search. */
function drawRings(
  painter: Painter,
  colors: MapColors,
  { model, layout, matches, selectedLines }: MapScene,
): void {
  const ring = (position: number, radius: number) => {
    const point = layout.points[position];
    if (point) painter.path(ringPath(point, radius), { stroke: { color: colors.accentText, width: 1.5 } });
  };
  const isPlain = (position: number) => model.hosts[position]?.infrastructure === undefined;
  const peers = selectedLines?.peers;
  if (peers && peers.size <= RINGS_MAX)
    for (const position of peers) if (isPlain(position)) ring(position, 8);
  if (matches && matches.size <= RINGS_MAX)
    for (const position of matches) ring(position, isPlain(position) ? 7.5 : 12);
}

function drawLabel(painter: Painter, colors: MapColors, text: string, { x, y }: Point): void {
  const shown = fitText(text, 260, 11.5);
  const box = { x: x - 8, y: y - 36, width: textWidth(shown, 11.5) + 16, height: 20 };
  painter.box(box, 5, { fill: colors.raised, stroke: { color: colors.lineStrong, width: 1 } });
  painter.text(shown, { x: box.x + 8, y: box.y + 14 }, { color: colors.text, size: 11.5, weight: 550 });
}

function drawNames(painter: Painter, colors: MapColors, scene: MapScene, { isVisible }: Highlights): void {
  for (const { position, name, infrastructure } of scene.model.hosts) {
    const point = scene.layout.points[position];
    if (!point || infrastructure || isVisible?.(point) === false) continue;
    painter.text(
      fitText(name, 16.4, 1.9),
      { x: point.x, y: point.y + 7.4 },
      {
        color: colors.textMuted,
        size: 1.9,
        align: "middle",
      },
    );
  }
}

function drawHighlights(painter: Painter, colors: MapColors, scene: MapScene, highlights: Highlights): void {
  const { model, layout, selected } = scene;
  const pointOf = (position: number | undefined) =>
    position === undefined ? undefined : layout.points[position];
  const { cursor, hovered } = highlights;
  const selectedPoint = pointOf(selected);
  if (selectedPoint && selected !== undefined) {
    const isPlain = model.hosts[selected]?.infrastructure === undefined;
    if (isPlain) painter.path(ringPath(selectedPoint, 6.5), { fill: colors.accent });
    painter.path(ringPath(selectedPoint, isPlain ? 10.5 : 13), {
      stroke: { color: colors.accentText, width: 2 },
    });
  }
  const focused = cursor && ("host" in cursor ? pointOf(cursor.host) : undefined);
  if (focused)
    painter.path(ringPath(focused, 13), { stroke: { color: colors.text, width: 1.6, dash: [3, 2.4] } });
  const group = cursor && "group" in cursor ? layout.groups[cursor.group] : undefined;
  if (group) {
    const { x, y, width, height } = group.box;
    painter.box({ x: x - 4, y: y - 4, width: width + 8, height: height + 8 }, 15, {
      stroke: { color: colors.text, width: 1.6, dash: [3, 2.4] },
    });
  }
  const focusedHost = cursor && "host" in cursor ? cursor.host : undefined;
  for (const position of new Set([selected, focusedHost, hovered])) {
    const [host, point] = [position === undefined ? undefined : model.hosts[position], pointOf(position)];
    if (host && point) drawLabel(painter, colors, host.name, point);
  }
}

/** How many matches of the search are in each group. */
function countMatches({ layout, matches }: MapScene): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const position of matches ?? []) {
    const index = layout.groupIndexes[position] ?? -1;
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  return counts;
}

export function drawMap(
  painter: Painter,
  colors: MapColors,
  scene: MapScene,
  highlights: Highlights = {},
): void {
  const { layout, lines, selectedLines } = scene;
  for (const line of lines) drawLine(painter, line, colors.textFaint, 0.42);
  const matchCounts = countMatches(scene);
  for (const [index, group] of layout.groups.entries()) {
    drawGroup(painter, colors, group, {
      matchCount: matchCounts.get(index),
      nameScale: highlights.nameScale,
    });
    for (const subnet of group.subnets) drawSubnet(painter, colors, scene, subnet);
  }
  for (const line of lines) drawCount(painter, colors, line);
  const ownLines = selectedLines?.lines ?? [];
  for (const line of ownLines) drawLine(painter, line, colors.accentText);
  for (const line of ownLines) drawCount(painter, colors, line);
  drawHosts(painter, colors, scene, highlights);
  if (highlights.withNames) drawNames(painter, colors, scene, highlights);
  drawHighlights(painter, colors, scene, highlights);
}
