import type { MapColors } from "./painter.ts";

/** The colors for elements of the page, which follow the theme. */
export const tokenColors: MapColors = {
  surface: "var(--surface-1)",
  group: "var(--surface-1)",
  raised: "var(--surface-3)",
  line: "var(--line)",
  lineStrong: "var(--line-strong)",
  text: "var(--text)",
  textMuted: "var(--text-muted)",
  textFaint: "var(--text-faint)",
  accent: "var(--accent)",
  accentText: "var(--accent-text)",
  accentWash: "var(--accent-wash)",
  ok: "var(--ok)",
  online: "color-mix(in srgb, var(--ok) 52%, var(--surface-3))",
  warn: "var(--warn)",
  danger: "var(--danger)",
  info: "var(--info)",
};

/** The channels of a computed color: "rgb(10, 115, 71)". */
const channelsOf = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

function mix(color: string, other: string, share: number): string {
  const [one, two] = [channelsOf(color), channelsOf(other)];
  if (one.length < 3 || two.length < 3) return color;
  const channels = one.map((channel, index) => Math.round(channel * share + (two[index] ?? 0) * (1 - share)));
  return `rgb(${channels.join(", ")})`;
}

/** The tokens of the current theme as plain colors, which a canvas and every SVG viewer understand. */
export function readMapColors(within: HTMLElement): MapColors {
  const probe = document.createElement("span");
  within.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const [ok, raised] = [read("ok"), read("surface-3")];
  const colors: MapColors = {
    surface: read("surface-1"),
    group: read("surface-2"),
    raised,
    line: read("line"),
    lineStrong: read("line-strong"),
    text: read("text"),
    textMuted: read("text-muted"),
    textFaint: read("text-faint"),
    accent: read("accent"),
    accentText: read("accent-text"),
    accentWash: read("accent-wash"),
    ok,
    online: mix(ok, raised, 0.52),
    warn: read("warn"),
    danger: read("danger"),
    info: read("info"),
  };
  probe.remove();
  return colors;
}

export function readMapFonts(within: HTMLElement): { text: string; mono: string } {
  const style = getComputedStyle(within);
  return { text: style.getPropertyValue("--font"), mono: style.getPropertyValue("--mono") };
}
