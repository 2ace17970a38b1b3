/** Calls `create` when the value is first needed, such as for formats: the first one takes up to 45 ms. */
export function once<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}
