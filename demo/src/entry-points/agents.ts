/** Simulated agents, for benchmarks. */
export { connectTo, type Post, RequestRejected } from "../agents/connections.ts";
export { type Behavior, SimulatedAgent } from "../agents/simulated-agent.ts";
