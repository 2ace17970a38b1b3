/** Waits for the server. The poll has keys for the next configuration, so that its reply can contain that. */
import { LongPollReply } from "@lightkeeper/contract/agent";
import type { ReportStatus } from "@lightkeeper/contract/agent";
import { debugCommands } from "./debug-commands.ts";
import { AgentError } from "./errors.ts";
import { prepareUpdate } from "./fetch-update.ts";
import type { Server } from "./server.ts";
import type { State } from "./state.ts";

const SUPPORTED_ACTIONS = ["DoUpdate", "DoConfigUpdate", ...debugCommands];

export interface Polled {
  readonly reply: LongPollReply;
  /** The state after the update in the reply; the caller stores it. */
  readonly next: State | undefined;
}

export async function poll(
  server: Pick<Server, "call">,
  state: State,
  status: ReportStatus | undefined,
  signal: AbortSignal,
): Promise<Polled> {
  const { value: update, read } = prepareUpdate("DoConfigUpdate", state);
  const value = { supportedActions: SUPPORTED_ACTIONS, update, status };
  const reply = LongPollReply.safeParse(await server.call(state, "LongPollWait", value, signal));
  if (!reply.success) throw new AgentError("Unexpected response from the server (wrong format).");
  return { reply: reply.data, next: reply.data.update && read(reply.data.update) };
}
