/** Delays the reply to a host's poll until the host has something to do, or until the poll ends. */
import type { LongPollReply, LongPollRequest } from "@lightkeeper/contract/agent";
import type { AgentCall, Connection, ControlPlane } from "../agents/control-plane.ts";
import type { CallingHost, FindCallingHost } from "../agents/calling-hosts.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { Later } from "../../infrastructure/http/responses.ts";
import type { ExpectUpdate, FindUpdate } from "./needed-updates.ts";
import { createPollChecks } from "./poll-checks.ts";
import { NO_OP, PollWaiter } from "./poll-waiter.ts";
import type { Snapshots } from "./snapshots.ts";
import { createWaitingHosts, type Waiter } from "./waiting-hosts.ts";
import { createWaking } from "./waking.ts";

/** Public clients time out after two minutes. */
export const POLL_MS = 50 * SECOND_MS;

/** Polls end at different times: hosts that a change woke together would otherwise poll together from then on. */
const SHORTER_BY_MAX = 1 / 3;
export const chooseDuration = (maxMs: number, random = Math.random()) =>
  maxMs * (1 - random * SHORTER_BY_MAX);

export interface LongPollOptions {
  snapshots: Snapshots;
  findHost: FindCallingHost;
  findUpdate: FindUpdate;
  expectUpdate: ExpectUpdate;
  configure: ControlPlane["configure"];
  pollMs?: number | undefined;
  shutdown: AbortSignal;
}

export function createLongPolls(ctx: Context, options: LongPollOptions) {
  const { snapshots, findHost, pollMs = POLL_MS, shutdown } = options;
  const waiting = createWaitingHosts();
  const countHostsToCheck = () => waking.countHostsToCheck();
  const checks = createPollChecks(ctx, { ...options, waiting, countHostsToCheck });
  const waking = createWaking(ctx, { snapshots, waiting, findHost, checks });
  shutdown.addEventListener("abort", () => waiting.all().forEach((waiter) => waiter.reply(NO_OP)));

  /** Forgets the network's snapshot with its last waiter. */
  function removeWaiter(waiter: Waiter): void {
    if (waiting.remove(waiter)) waking.forget(waiter.call.host.networkID);
  }

  function wait(call: AgentCall, request: LongPollRequest, connection: Connection): Later<LongPollReply> {
    return (send, fail) => {
      // A host has one poll: an earlier one was abandoned by the client.
      waiting.ofHost(call.host.id)?.reply(NO_OP);
      const waiter = new PollWaiter({ call, request, connection }, { send, fail, onClose: removeWaiter });
      waiting.add(waiter);
      if (connection.closed || shutdown.aborted) waiter.reply(NO_OP);
      else startWaiting(waiter).catch((error: unknown) => waiter.fail(error as Error));
    };
  }

  /** Reads the host again if it may have changed before the waiter was registered. */
  async function startWaiting(waiter: PollWaiter): Promise<void> {
    const { host } = waiter.call;
    const isCurrent = await waking.watch(host);
    await checks.checkForWork(
      waiter,
      isCurrent ? host : await findHost({ hostID: host.id, counter: host.counter }),
    );
    // Starts after the first check: no poll ends before the server has looked for work.
    waiter.endAfter(chooseDuration(pollMs));
  }

  return {
    wait,
    recordFetch: (host: CallingHost) => waking.recordFetch(host),
    isFetchExpected: (hostID: string) => waking.isFetchExpected(hostID),
    countHostsToCheck,
    countWaitingHosts: waiting.count,
    stop: () => waking.stop(),
  };
}
