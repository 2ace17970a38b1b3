import type { Point } from "./geometry.ts";
import type { Mark } from "./map-model.ts";
import {
  FADED_OPACITY,
  markShape,
  peerShape,
  type MapColors,
  type Painter,
  type ShapeLook,
  type Stroke,
} from "./painter.ts";

/** The layout's origin on the screen, and how many pixels of the screen one unit has. */
export interface Transform {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

/** Below this size, in pixels of the device, marks are squares: a shape could not be seen. */
const SHAPE_PIXELS_MIN = 3;
const MARK_UNITS = 14;

type Context = CanvasRenderingContext2D;

function applyStroke(context: Context, { color, width, dash = [] }: Stroke): void {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.setLineDash([...dash]);
}

function paintShape(context: Context, shape: Path2D, { fill, stroke, opacity = 1 }: ShapeLook): void {
  context.globalAlpha = opacity;
  if (fill) {
    context.fillStyle = fill;
    context.fill(shape);
  }
  if (stroke) {
    applyStroke(context, stroke);
    context.stroke(shape);
  }
  context.globalAlpha = 1;
}

type MarkImage = HTMLCanvasElement | undefined;

/** Draws each shape once per size, because copying an image is much faster than drawing a curve. */
function createMarkImages(colors: MapColors, pixelsPerUnit: number) {
  const images = new Map<string, MarkImage>();
  return (mark: Mark, isPeer: boolean): MarkImage => {
    const key = isPeer ? "peer" : mark;
    if (images.has(key)) return images.get(key);
    const canvas = document.createElement("canvas");
    const size = Math.ceil(MARK_UNITS * pixelsPerUnit);
    [canvas.width, canvas.height] = [size, size];
    const context = canvas.getContext("2d");
    const { d, look } = isPeer ? peerShape(colors) : markShape(mark, colors);
    if (context) {
      context.setTransform(pixelsPerUnit, 0, 0, pixelsPerUnit, size / 2, size / 2);
      context.lineCap = "round";
      paintShape(context, new Path2D(d), look);
    }
    const image = context ? canvas : undefined;
    images.set(key, image);
    return image;
  };
}

export interface CanvasPainterOptions {
  context: Context;
  colors: MapColors;
  fonts: { text: string; mono: string };
  transform: Transform;
  /** Pixels of the device per pixel of the screen. */
  ratio: number;
}

type MarkImages = ReturnType<typeof createMarkImages>;

/** Marks have sizes in steps of 4 %, so that zooming uses most images several times. */
const SIZES_PER_OCTAVE = 16;
const SIZES_KEPT_MAX = 100;

/** Keeps the images of marks, so that panning draws none. */
export function createCanvasPainters() {
  let kept = new Map<number, MarkImages>();
  let colorsOfKept: MapColors | undefined;
  return (options: CanvasPainterOptions): Painter => {
    if (colorsOfKept !== options.colors || kept.size > SIZES_KEPT_MAX) kept = new Map();
    colorsOfKept = options.colors;
    const size = Math.round(Math.log2(options.transform.k * options.ratio) * SIZES_PER_OCTAVE);
    const images = kept.get(size) ?? createMarkImages(options.colors, 2 ** (size / SIZES_PER_OCTAVE));
    kept.set(size, images);
    return createCanvasPainter(options, images);
  };
}

function createCanvasPainter(
  { context, colors, fonts, transform, ratio }: CanvasPainterOptions,
  images: MarkImages,
): Painter {
  const scale = transform.k * ratio;
  const useLayout = () => context.setTransform(scale, 0, 0, scale, transform.x * ratio, transform.y * ratio);
  useLayout();
  context.lineCap = "round";
  context.lineJoin = "round";
  const squareColors: Readonly<Record<Mark, string>> = {
    online: colors.online,
    offline: colors.textFaint,
    neverEnrolled: colors.info,
    blocked: colors.danger,
    drifted: colors.warn,
  };
  return {
    box({ x, y, width, height }, radius, look) {
      const shape = new Path2D();
      shape.roundRect(x, y, width, height, radius);
      paintShape(context, shape, look);
    },
    path: (d, look) => paintShape(context, new Path2D(d), look),
    text(text, { x, y }, { color, size, weight = 400, mono = false, align = "start" }) {
      context.font = `${weight} ${size}px ${mono ? fonts.mono : fonts.text}`;
      context.fillStyle = color;
      context.textAlign = align === "middle" ? "center" : align;
      context.fillText(text, x, y);
    },
    marks(marks) {
      // In pixels of the device, where images are copied without scaling.
      context.setTransform(1, 0, 0, 1, 0, 0);
      const size = MARK_UNITS * scale;
      const isTiny = size * 0.7 < SHAPE_PIXELS_MIN;
      const [left, top] = [transform.x * ratio, transform.y * ratio];
      for (const { mark, x, y, isFaded, isPeer } of marks) {
        context.globalAlpha = isFaded ? FADED_OPACITY : 1;
        const [atX, atY] = [x * scale + left, y * scale + top];
        if (isTiny)
          paintSquare(context, squareColors[mark], { x: atX, y: atY, side: Math.max(1, size * 0.6) });
        else paintImage(context, images(mark, isPeer), { x: atX, y: atY });
      }
      context.globalAlpha = 1;
      useLayout();
    },
  };
}

function paintImage(context: Context, image: MarkImage, { x, y }: Point): void {
  if (image) context.drawImage(image, Math.round(x - image.width / 2), Math.round(y - image.height / 2));
}

function paintSquare(context: Context, color: string, { x, y, side }: Point & { side: number }): void {
  context.fillStyle = color;
  context.fillRect(x - side / 2, y - side / 2, side, side);
}
