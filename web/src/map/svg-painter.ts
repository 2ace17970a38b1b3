import { marks } from "./map-model.ts";
import type { Box } from "./geometry.ts";
import {
  FADED_OPACITY,
  markShape,
  peerShape,
  type MapColors,
  type Painter,
  type ShapeLook,
  type TextLook,
} from "./painter.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

const attributesOf = (attributes: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");

const round = (value: number) => Math.round(value * 100) / 100;

const lookAttributes = ({ fill, stroke, opacity }: ShapeLook) => ({
  fill: fill ?? "none",
  stroke: stroke?.color,
  "stroke-width": stroke?.width,
  "stroke-dasharray": stroke?.dash?.join(" "),
  "stroke-linecap": stroke && "round",
  opacity,
});

const textAttributes = ({ color, size, weight, mono, align }: TextLook) => ({
  fill: color,
  "font-size": size,
  "font-weight": weight,
  "font-family": mono ? "JetBrains Mono, monospace" : undefined,
  "text-anchor": align === "start" ? undefined : align,
});

export interface SvgPainter extends Painter {
  /** The complete document. */
  finish: (options: { bounds: Box; title: string }) => string;
}

export function createSvgPainter(colors: MapColors): SvgPainter {
  const elements: string[] = [];
  const symbols: { id: string; d: string; look: ShapeLook }[] = [
    ...marks.map((mark) => ({ id: mark, ...markShape(mark, colors) })),
    { id: "peer", ...peerShape(colors) },
  ];
  const definitions = symbols.map(
    ({ id, d, look }) => `<path id="${id}"${attributesOf({ d, ...lookAttributes(look) })}/>`,
  );
  return {
    box: ({ x, y, width, height }, radius, look) => {
      const place = { x: round(x), y: round(y), width: round(width), height: round(height), rx: radius };
      elements.push(`<rect${attributesOf({ ...place, ...lookAttributes(look) })}/>`);
    },
    path: (d, look) => elements.push(`<path${attributesOf({ d, ...lookAttributes(look) })}/>`),
    text: (text, { x, y }, look) => {
      const place = { x: round(x), y: round(y) };
      elements.push(`<text${attributesOf({ ...place, ...textAttributes(look) })}>${escapeXml(text)}</text>`);
    },
    marks: (placed) => {
      for (const { mark, x, y, isFaded, isPeer } of placed) {
        const opacity = isFaded ? FADED_OPACITY : undefined;
        const place = { href: `#${isPeer ? "peer" : mark}`, x: round(x), y: round(y), opacity };
        elements.push(`<use${attributesOf(place)}/>`);
      }
    },
    finish({ bounds, title }) {
      const { x, y, width, height } = bounds;
      const place = { x: round(x), y: round(y), width: round(width), height: round(height) };
      const root = {
        xmlns: "http://www.w3.org/2000/svg",
        viewBox: Object.values(place).join(" "),
        width: Math.ceil(width),
        height: Math.ceil(height),
        "font-family": "Inter, system-ui, sans-serif",
      };
      return [
        `<svg${attributesOf(root)}>`,
        `<title>${escapeXml(title)}</title>`,
        `<defs>${definitions.join("")}</defs>`,
        `<rect${attributesOf({ ...place, fill: colors.surface })}/>`,
        ...elements,
        "</svg>",
        "",
      ].join("\n");
    },
  };
}
