/** Real hosts in network namespaces, for benchmarks. */
export type { OverlayHost } from "./overlay-host.ts";
export { freePort } from "../free-port.ts";
export { until } from "../until.ts";
export { setTimeout as sleep } from "node:timers/promises";
export { type NebulaVersion, TestNetwork } from "./test-network.ts";
