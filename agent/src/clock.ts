/** Milliseconds on the monotonic clock. Unlike `performance`, it loads no other modules of Node.js, which need memory. */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
