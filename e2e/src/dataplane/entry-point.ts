/** Real hosts in network namespaces, for benchmarks. */
export type { OverlayHost } from "./overlay-host.ts";
export { sleep, until } from "./shell.ts";
export { type NebulaVersion, TestNetwork } from "./test-network.ts";
