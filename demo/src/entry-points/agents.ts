/** Simulated agents, for benchmarks. */
export { connectTo, RequestRejected } from "../agents/connections.ts";
export { type Behavior, SimulatedAgent } from "../agents/simulated-agent.ts";
