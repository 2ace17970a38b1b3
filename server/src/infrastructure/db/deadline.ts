/**
 * Calls `expire` after `ms` unless canceled. Responses that arrived while this process was busy are read first, so
 * that a busy process isn't mistaken for a silent database.
 */
export function startDeadline(ms: number, expire: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(() => (immediate = setImmediate(expire)));
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** Rejects after `ms`; the work itself continues. */
export function withDeadline<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(ms, () => reject(new Error(message)));
    work.then(resolve, reject).finally(cancel);
  });
}
