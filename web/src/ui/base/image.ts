/** For an SVG with a meaning; decorative ones are `aria-hidden` instead. */
export function image(label: string) {
  return { role: "img", "aria-label": label };
}
