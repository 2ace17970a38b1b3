/** What the map is drawn with: a canvas on the screen and for PNG, or elements for SVG. */
import type { Box, Point } from "./geometry.ts";
import type { Mark } from "./map-model.ts";

export interface Stroke {
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[] | undefined;
}

export interface ShapeLook {
  readonly fill?: string | undefined;
  readonly stroke?: Stroke | undefined;
  readonly opacity?: number | undefined;
}

export interface TextLook {
  readonly color: string;
  readonly size: number;
  readonly weight?: number;
  readonly mono?: boolean;
  readonly align?: "start" | "middle" | "end";
}

export interface PlacedMark extends Point {
  readonly mark: Mark;
  /** Doesn't match the search. */
  readonly isFaded: boolean;
  /** At the other end of a tunnel of the selected host. */
  readonly isPeer: boolean;
}

/** All coordinates are those of the layout. */
export interface Painter {
  box(box: Box, radius: number, look: ShapeLook): void;
  /** SVG path data. */
  path(d: string, look: ShapeLook): void;
  text(text: string, at: Point, look: TextLook): void;
  /** Together, because there may be thousands. */
  marks(marks: readonly PlacedMark[]): void;
}

const circle = (radius: number) =>
  `M${-radius} 0a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;

export interface MapColors {
  readonly surface: string;
  readonly group: string;
  readonly raised: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly textMuted: string;
  readonly textFaint: string;
  readonly accent: string;
  readonly accentText: string;
  readonly accentWash: string;
  readonly ok: string;
  /** A calmer green for hosts that are online, which most are. */
  readonly online: string;
  readonly warn: string;
  readonly danger: string;
  readonly info: string;
}

/** The shape of a host by its status, around the origin: color, shape and, in the legend, a word. */
export function markShape(mark: Mark, colors: MapColors): { d: string; look: ShapeLook } {
  const fill = colors.group;
  const shapes: Readonly<Record<Mark, { d: string; look: ShapeLook }>> = {
    online: { d: circle(4.8), look: { fill: colors.online } },
    offline: { d: circle(4.2), look: { fill, stroke: { color: colors.textFaint, width: 1.5 } } },
    neverEnrolled: {
      d: circle(4.2),
      look: { fill, stroke: { color: colors.info, width: 1.5, dash: [2.4, 1.7] } },
    },
    blocked: { d: "M-4 -4l8 8m0 -8l-8 8", look: { stroke: { color: colors.danger, width: 2 } } },
    drifted: { d: "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z", look: { fill: colors.warn } },
  };
  return shapes[mark];
}

export const peerShape = (colors: MapColors) => ({ d: circle(5), look: { fill: colors.ok } });
export const ringPath = ({ x, y }: Point, radius: number): string =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;

export const FADED_OPACITY = 0.22;
