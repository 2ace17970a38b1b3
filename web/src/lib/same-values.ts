/** Deep equality of plain data. */
export function areSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  const values = new Map<string, unknown>(Object.entries(b));
  return (
    entries.length === values.size &&
    entries.every(([key, value]) => values.has(key) && areSame(value, values.get(key)))
  );
}
