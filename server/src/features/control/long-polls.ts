/** Delays the reply to a host's poll until the host has something to do, or until the poll ends. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import type { CallingHost, FindCallingHost } from "../agents/calling-hosts.service.ts";
import { putBackCommand, takeCommand } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { FindUpdate, Update } from "./needed-updates.ts";
import { NO_OP, PollWaiter } from "./poll-waiter.ts";
import type { Snapshots } from "./snapshots.ts";
import { createWaitingHosts, type Waiter } from "./waiting-hosts.ts";
import { createWaking } from "./waking.ts";

/** Public clients time out after two minutes. */
const POLL_MS = 50 * SECOND_MS;

/** Polls end at different times: hosts that a change woke together would otherwise poll together from then on. */
const SHORTER_BY_MAX = 1 / 3;
export const chooseDuration = (maxMs: number, random = Math.random()) =>
  maxMs * (1 - random * SHORTER_BY_MAX);

/** In order of preference: a certificate always comes with a configuration. */
const actionsFor: Record<Update, readonly string[]> = {
  certificate: ["DoUpdate"],
  config: ["DoConfigUpdate", "DoUpdate"],
};

export interface LongPollOptions {
  snapshots: Snapshots;
  findHost: FindCallingHost;
  findUpdate: FindUpdate;
  pollMs?: number | undefined;
  shutdown: AbortSignal;
}

export function createLongPolls(ctx: Context, options: LongPollOptions) {
  const { snapshots, findHost, findUpdate, pollMs = POLL_MS, shutdown } = options;
  const waiting = createWaitingHosts();
  const waking = createWaking(ctx, { snapshots, waiting, checkForWork });
  shutdown.addEventListener("abort", () => waiting.all().forEach((waiter) => waiter.reply(NO_OP)));

  async function checkForWork(waiter: Waiter, host: CallingHost | undefined): Promise<void> {
    if (!waiter.isOpen) return;
    if (!host) return waiter.fail(new ApiError("ERR_UNAUTHORIZED"));
    try {
      if (host.hasCommand) await sendCommand(ctx, waiter);
      const update = await findUpdate({ ...waiter.call, host, now: ctx.clock() });
      const supported = update && actionsFor[update].find((name) => waiter.supportedActions.includes(name));
      if (supported) waiter.reply({ action: { command: supported }, responseToken: "" });
      else if (waiter.isOpen) waiting.refresh(waiter, host);
    } catch (error) {
      // The failure of one host must not affect the others.
      waiter.fail(error as Error);
    }
  }

  /** Forgets the network's snapshot with its last waiter. */
  function removeWaiter(waiter: Waiter): void {
    if (waiting.remove(waiter)) waking.forget(waiter.call.host.networkID);
  }

  function wait(call: AgentCall, supportedActions: readonly string[], disconnected: AbortSignal) {
    // A host has one poll: an earlier one was abandoned by the client.
    for (const earlier of waiting.ofHost(call.host.id)) earlier.reply(NO_OP);
    return new Promise<LongPollReply>((resolve, reject) => {
      const poll = { call, supportedActions, disconnected };
      const waiter = new PollWaiter(poll, { resolve, reject, onClose: removeWaiter });
      waiting.add(waiter);
      if (disconnected.aborted || shutdown.aborted) waiter.reply(NO_OP);
      else startWaiting(waiter).catch((error: unknown) => waiter.fail(error as Error));
    });
  }

  /** Checks after the waiter is registered, so that no change in between is missed. */
  async function startWaiting(waiter: PollWaiter): Promise<void> {
    const { host } = waiter.call;
    await waking.watch(host);
    await checkForWork(waiter, await findHost({ hostID: host.id, counter: host.counter }));
    // Starts after the first check: no poll ends before the server has looked for work.
    waiter.endAfter(chooseDuration(pollMs));
  }

  return { wait, countWaitingHosts: waiting.count, stop: () => waking.stop() };
}

async function sendCommand(ctx: Context, waiter: Waiter): Promise<void> {
  const command = await takeCommand(ctx, waiter.call.host.id, waiter.supportedActions);
  if (!command) return;
  if (waiter.isOpen) waiter.reply({ action: command.action, responseToken: command.token });
  else await putBackCommand(ctx, command.token);
}
