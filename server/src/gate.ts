/** Lets so many through at a time, in the order they came. */
export function createGate(width: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;

  return async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (inside < width) inside++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes straight to the next in line: nobody can slip in between.
      if (next) next();
      else inside--;
    }
  };
}
