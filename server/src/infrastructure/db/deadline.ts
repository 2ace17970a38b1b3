/**
 * Calls `expire` after `ms` unless canceled. Answers that arrived while this process was busy are read first, so
 * that a busy process does not take itself for a silent database.
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

/** The same for a promise, which goes on without us. */
export function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(ms, () => reject(new Error(message)));
    work.then(resolve, reject).finally(cancel);
  });
}
