/**
 * Whose turn it is when all hosts call at once. Those that fetch what they should run come first; those that tell
 * what they run, or come to wait, are let in once few are fetching, and none of them waits for long.
 */
export interface Turns {
  /** Does it now; while there are many of these, others wait. */
  first: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing comes first, or after long enough. */
  later: () => Promise<void>;
}

const FEW = 50;
const LET_IN_AT_ONCE = 100;
const WAIT_MS_MAX = 10_000;

export function createTurns(waitMsMax = WAIT_MS_MAX): Turns {
  let firsts = 0;
  let isLettingIn = false;
  const waiting = new Set<() => void>();

  function letIn(): void {
    isLettingIn = false;
    if (firsts >= FEW) return;
    let left = LET_IN_AT_ONCE;
    for (const enter of waiting) {
      if (left-- === 0) return soon();
      enter();
    }
  }
  /** In between, those that come first get a chance to come. */
  function soon(): void {
    if (isLettingIn) return;
    isLettingIn = true;
    setImmediate(letIn);
  }

  return {
    async first(work) {
      firsts++;
      try {
        return await work();
      } finally {
        firsts--;
        if (firsts < FEW && waiting.size > 0) soon();
      }
    },
    later: () =>
      new Promise((resolve) => {
        if (firsts < FEW && waiting.size === 0) return resolve();
        const enter = () => {
          clearTimeout(timer);
          waiting.delete(enter);
          resolve();
        };
        const timer = setTimeout(enter, waitMsMax);
        waiting.add(enter);
      }),
  };
}
