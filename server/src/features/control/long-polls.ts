/** Holds a host's poll until there is something for it to do, or for long enough. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import type { CallingHost, FindCallingHost } from "../agents/calling-hosts.service.ts";
import { putBackCommand, takeCommand } from "../agents/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { FindUpdate, Update } from "./needed-updates.ts";
import type { Snapshots } from "./snapshots.ts";
import { createWaitingHosts, type Waiter } from "./waiting-hosts.ts";
import { createWaking } from "./waking.ts";

/** Public clients give up after two minutes. */
const HOLD_MS = 50_000;

const NO_OP: LongPollReply = { action: { command: "NoOp" }, responseToken: "" };

/** In the order they are tried: a certificate always brings a configuration with it. */
const actionsFor: Record<Update, readonly string[]> = {
  certificate: ["DoUpdate"],
  config: ["DoConfigUpdate", "DoUpdate"],
};

export interface LongPollOptions {
  snapshots: Snapshots;
  findHost: FindCallingHost;
  findUpdate: FindUpdate;
  holdMs?: number | undefined;
  shutdown: AbortSignal;
}

export function createLongPolls(ctx: Context, options: LongPollOptions) {
  const { snapshots, findHost, findUpdate, holdMs = HOLD_MS, shutdown } = options;
  const waiting = createWaitingHosts();
  const waking = createWaking(ctx, { snapshots, waiting, look });
  shutdown.addEventListener("abort", () => waiting.all().forEach((waiter) => waiter.answer(NO_OP)));

  async function look(waiter: Waiter, host: CallingHost | undefined): Promise<void> {
    if (!waiter.isOpen) return;
    if (!host) return waiter.refuse(new ApiError("ERR_UNAUTHORIZED"));
    try {
      if (host.hasCommand) await passOnCommand(waiter);
      const update = await findUpdate({ ...waiter.call, host, now: ctx.clock() });
      const supported = update && actionsFor[update].find((name) => waiter.supportedActions.includes(name));
      if (supported) waiter.answer({ action: { command: supported }, responseToken: "" });
      else if (waiter.isOpen) waiting.refresh(waiter, host);
    } catch (error) {
      // One host's misfortune is its own.
      waiter.refuse(error as Error);
    }
  }

  async function passOnCommand(waiter: Waiter): Promise<void> {
    const command = await takeCommand(ctx, waiter.call.host.id, waiter.supportedActions);
    if (!command) return;
    if (waiter.isOpen) waiter.answer({ action: command.action, responseToken: command.token });
    else await putBackCommand(ctx, command.token);
  }

  function hold(call: AgentCall, supportedActions: readonly string[], gone: AbortSignal) {
    // A host waits once: whoever waited for it before has been left.
    for (const other of waiting.ofHost(call.host.id)) other.answer(NO_OP);
    return new Promise<LongPollReply>((resolve, reject) => {
      const nothing = () => waiter.answer(NO_OP);
      let timer: NodeJS.Timeout | undefined;
      // The time starts when there has been a look: no host is told of nothing before that.
      const wait = () => {
        if (waiter.isOpen) timer = setTimeout(nothing, holdMs);
      };
      const close = () => {
        if (!waiter.isOpen) return;
        waiter.isOpen = false;
        clearTimeout(timer);
        gone.removeEventListener("abort", nothing);
        if (waiting.remove(waiter)) waking.forget(call.host.networkID);
      };
      const waiter: Waiter = {
        call,
        supportedActions,
        isOpen: true,
        answer(reply) {
          close();
          resolve(reply);
        },
        refuse(error) {
          close();
          reject(error);
        },
      };
      waiting.add(waiter);
      gone.addEventListener("abort", nothing);
      if (gone.aborted || shutdown.aborted) nothing();
      else begin(waiter).then(wait, (error: unknown) => waiter.refuse(error as Error));
    });
  }

  /** Only now, so that whatever changes after this look is heard of. */
  async function begin(waiter: Waiter): Promise<void> {
    const { host } = waiter.call;
    await waking.watch(host);
    await look(waiter, await findHost({ hostID: host.id, counter: host.counter }));
  }

  return { hold, stop: () => waking.stop() };
}
