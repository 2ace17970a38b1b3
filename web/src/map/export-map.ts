/** The whole map as a file, in the colors of the current theme. */
import { downloadBlob, downloadText } from "../lib/download.ts";
import { createCanvasPainters } from "./canvas-painter.ts";
import { drawMap, type MapScene } from "./draw-map.ts";
import { withMargin } from "./geometry.ts";
import { readMapColors, readMapFonts } from "./map-colors.ts";
import { createSvgPainter } from "./svg-painter.ts";

const MARGIN = 32;
/** Browsers can't encode larger images. */
const SIDE_PIXELS_MAX = 8192;
const RATIO = 2;

/** "Map of Production" as "map-of-production". */
const fileNameOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

export interface ExportOptions {
  scene: MapScene;
  title: string;
  format: "png" | "svg";
}

export async function exportMap({ scene, title, format }: ExportOptions): Promise<void> {
  const name = `${fileNameOf(title)}.${format}`;
  if (format === "svg") downloadText(name, renderSvg(scene, title), "image/svg+xml");
  else downloadBlob(name, await renderPng(scene));
}

function renderSvg(scene: MapScene, title: string): string {
  const colors = readMapColors(document.body);
  const painter = createSvgPainter(colors);
  drawMap(painter, colors, scene);
  return painter.finish({ bounds: withMargin(scene.layout.bounds, MARGIN), title });
}

async function renderPng(scene: MapScene): Promise<Blob> {
  const colors = readMapColors(document.body);
  const { x, y, width, height } = withMargin(scene.layout.bounds, MARGIN);
  const ratio = Math.min(RATIO, SIDE_PIXELS_MAX / Math.max(width, height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("The browser has no canvas");
  context.fillStyle = colors.surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const painter = createCanvasPainters()({
    context,
    colors,
    fonts: readMapFonts(document.body),
    transform: { x: -x, y: -y, k: 1 },
    ratio,
  });
  drawMap(painter, colors, scene);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("The image is too large");
  return blob;
}
