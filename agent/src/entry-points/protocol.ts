/** The agent's protocol and timing, for simulated agents in benchmarks. */
export { backoff, BACKOFF_SECONDS, POLL_SPACING_SECONDS, REPORT_WAIT_MAX_SECONDS } from "../backoff.ts";
export { parseTrustedKeys, toBase64 } from "../protocol.ts";
export { ReportQueue } from "../report-queue.ts";
export { userAgent } from "../user-agent.ts";
