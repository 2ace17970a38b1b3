/** Real hosts in network namespaces, for benchmarks. */
export type { OverlayHost } from "./overlay-host.ts";
export { until } from "../until.ts";
export { sleep } from "./shell.ts";
export { type NebulaVersion, TestNetwork } from "./test-network.ts";
