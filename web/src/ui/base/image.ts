/** For an svg that says something: a decorative one is `aria-hidden` instead. */
export function image(label: string) {
  return { role: "img", "aria-label": label };
}
