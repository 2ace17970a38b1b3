import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

const surfaces = ["bg", "surface-1", "surface-2", "surface-3", "accent-wash"];
const inks = ["text", "text-muted", "text-faint", "accent-text", "ok", "warn", "danger", "info"];
const washes = ["ok", "warn", "danger", "info"];

function color(token: string, theme: "light" | "dark") {
  const value = css.match(new RegExp(`--${token}:\\s*([^;]+);`))?.[1] ?? "";
  const both = value.match(/^light-dark\((#\w{6}), (#\w{6})\)$/);
  const hex = both ? both[theme === "light" ? 1 : 2] : value;
  if (!hex?.match(/^#\w{6}$/)) throw new Error(`--${token} isn’t a color: ${value}`);
  return hex;
}

function luminance(hex: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string) {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  const tooWeak = (foregrounds: string[], backgrounds: string[], least: number) =>
    foregrounds.flatMap((foreground) =>
      backgrounds
        .filter((background) => contrast(color(foreground, theme), color(background, theme)) < least)
        .map((background) => `${foreground} on ${background}`),
    );

  it.each(inks)("%s is readable on every surface (4.5:1)", (ink) => {
    expect(tooWeak([ink], surfaces, 4.5)).toEqual([]);
  });

  it.each(washes)("text and icons are readable on the %s background (4.5:1)", (tone) => {
    expect(tooWeak(["text", "text-muted", tone], [`${tone}-wash`], 4.5)).toEqual([]);
  });

  it("labels are readable on filled buttons (4.5:1)", () => {
    expect(tooWeak(["accent-ink"], ["accent", "accent-strong"], 4.5)).toEqual([]);
    expect(tooWeak(["danger-ink"], ["danger-fill", "danger-fill-strong"], 4.5)).toEqual([]);
  });

  it("control borders and the focus ring are visible (3:1)", () => {
    expect(tooWeak(["line-control", "accent-text"], surfaces, 3)).toEqual([]);
  });
});

it("is dark unless the system prefers light [S1.4]", () => {
  const schemes = [...css.matchAll(/color-scheme: (\w+);/g)].map(([, scheme]) => scheme);
  expect(schemes).toEqual(["dark", "light"]);
  expect(css).toMatch(/@media \(prefers-color-scheme: light\) \{\s*:root \{\s*color-scheme: light;/);
});
