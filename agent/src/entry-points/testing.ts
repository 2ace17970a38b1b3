/** What tests of the server run the agent with. */
export { post } from "../http.ts";
export { RequestRejected } from "../server.ts";
export { StateDirectory } from "../state.ts";
export { describeEnrollment } from "../status.ts";
export { type AgentProgram, buildAgentProgram, until } from "../testing/agent-program.ts";
export { createFakeNebula } from "../testing/fake-nebula.ts";
