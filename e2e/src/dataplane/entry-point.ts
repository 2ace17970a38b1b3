/** Real hosts in network namespaces, for benchmarks and the lab. */
export { ControlPlaneProxy } from "./control-plane-proxy.ts";
export { OverlayHost, type OverlayHostOptions } from "./overlay-host.ts";
export { freePort } from "../free-port.ts";
export { until } from "../until.ts";
export { setTimeout as sleep } from "node:timers/promises";
export { findBuiltAgent, type NebulaVersion, TestNetwork } from "./test-network.ts";
export { Underlay } from "./underlay.ts";
