/** Returns unused memory to the system while the agent is idle. V8 alone waits until the heap has grown much further. */
const IDLE_SECONDS = 10;

export class IdleMemory {
  private timer: NodeJS.Timeout | undefined;

  /** Call after each activity. */
  releaseLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(releaseMemory, IDLE_SECONDS * 1000).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Takes about 50 ms. The second collection also returns the pages for new objects: in Node.js 20, options always mean a
 * minor collection. Node.js has this function only with --expose-gc, which the agent's flags contain.
 */
function releaseMemory(): void {
  globalThis.gc?.();
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
