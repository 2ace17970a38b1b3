/** Whether two forms' worth of plain data say the same, however deep. */
export function areSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const ours = Object.entries(one);
  const theirs = new Map<string, unknown>(Object.entries(other));
  return (
    ours.length === theirs.size &&
    ours.every(([key, value]) => theirs.has(key) && areSame(value, theirs.get(key)))
  );
}
