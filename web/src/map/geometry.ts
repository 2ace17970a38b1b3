export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export const centerOf = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

export const contains = (box: Box, { x, y }: Point, margin = 0): boolean =>
  x >= box.x - margin &&
  y >= box.y - margin &&
  x <= box.x + box.width + margin &&
  y <= box.y + box.height + margin;

export const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The smallest box around all boxes; empty at the origin without any. */
export function boundsOf(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

export const withMargin = ({ x, y, width, height }: Box, margin: number): Box => ({
  x: x - margin,
  y: y - margin,
  width: width + 2 * margin,
  height: height + 2 * margin,
});

/** An estimate that needs no fonts, so that the layout is the same everywhere. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += character < "\u0250" ? 0.58 : 1;
  return width * size;
}

/** The text, cut off with an ellipsis if it's wider than `width`. */
export function fitText(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  let fitting = "";
  for (const character of text) {
    if (textWidth(`${fitting}${character}…`, size) > width) break;
    fitting += character;
  }
  return `${fitting}…`;
}
