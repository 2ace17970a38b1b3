/** Checks whether a waiting host has something to do, and then replies to its poll. */
import { type LongPollReply, PAUSE_SECONDS_MAX, type UpdateRequest } from "@lightkeeper/contract/agent";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import type { AgentCall, ControlPlane } from "../agents/control-plane.ts";
import { putBackCommand, takeCommand } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { ExpectUpdate, FindUpdate, Update } from "./needed-updates.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Waiter, WaitingHosts } from "./waiting-hosts.ts";

/** In order of preference: a certificate always comes with a configuration. */
const actionsFor: Record<Update, readonly string[]> = {
  certificate: ["DoUpdate"],
  config: ["DoConfigUpdate", "DoUpdate"],
};

/** The host was told to fetch an update, or its configuration was sent with the reply. */
export type UpdateOutcome = "offered" | "sent";

export interface PollChecks {
  /** Replies with the update that the host needs if its row hasn't changed since it was read. */
  replyWithExpectedUpdate(waiter: Waiter, snapshot: Snapshot): Promise<UpdateOutcome | undefined>;
  /** Replies if the host has something to do, and fails the poll if the host no longer exists. */
  checkForWork(waiter: Waiter, host: CallingHost | undefined): Promise<UpdateOutcome | undefined>;
}

/** Fewer hosts need no pause. */
const MANY_HOSTS = 100;
/** About how long it takes to send one update. */
const SEND_SECONDS = 0.001;

export interface PollCheckOptions {
  waiting: WaitingHosts;
  findUpdate: FindUpdate;
  expectUpdate: ExpectUpdate;
  configure: ControlPlane["configure"];
  countHostsToCheck: () => number;
}

export function createPollChecks(ctx: Context, options: PollCheckOptions): PollChecks {
  const { waiting, findUpdate, expectUpdate } = options;
  const reply = createUpdateReplies(options);

  return {
    // A row that has changed since is checked with the host's next message, so an update from this one is harmless.
    async replyWithExpectedUpdate(waiter, snapshot) {
      const call = { ...waiter.call, now: ctx.clock() };
      if (waiter.isUpdating || call.host.hasCommand || !hasRoleAndTagsIn(snapshot, call.host))
        return undefined;
      try {
        return await reply(waiter, call, expectUpdate(call, snapshot));
      } catch {
        return undefined;
      }
    },

    async checkForWork(waiter, host) {
      if (!waiter.isOpen || waiter.isUpdating) return undefined;
      try {
        if (!host) throw new ApiError("ERR_UNAUTHORIZED");
        if (host.hasCommand && (await sendCommand(ctx, waiter))) return undefined;
        const call = { ...waiter.call, host, now: ctx.clock() };
        const outcome = await reply(waiter, call, await findUpdate(call));
        if (waiter.isOpen) waiting.refresh(waiter, host);
        return outcome;
      } catch (error) {
        // The failure of one host must not affect the others.
        waiter.fail(error as Error);
        return undefined;
      }
    },
  };
}

type ReplyWith = (
  waiter: Waiter,
  call: AgentCall,
  update: Update | undefined,
) => Promise<UpdateOutcome | undefined>;

/** The returned function returns undefined if there is no update that the client supports. */
function createUpdateReplies({ configure, countHostsToCheck }: PollCheckOptions): ReplyWith {
  /** The message that follows an update would delay the updates of other hosts. */
  function pause(): Pick<LongPollReply, "pauseSeconds"> {
    const count = countHostsToCheck();
    return count < MANY_HOSTS ? {} : { pauseSeconds: Math.min(count * SEND_SECONDS, PAUSE_SECONDS_MAX) };
  }

  /** Like the reply to DoConfigUpdate, one that is lost changes nothing. */
  async function send(waiter: Waiter, call: AgentCall, request: UpdateRequest): Promise<UpdateOutcome> {
    waiter.isUpdating = true;
    try {
      const update = await configure(call, request);
      waiter.reply({ action: { command: "DoConfigUpdate" }, responseToken: "", update, ...pause() });
      return "sent";
    } finally {
      waiter.isUpdating = false;
    }
  }

  return async (waiter, call, update) => {
    const command = update && actionsFor[update].find((name) => waiter.supportedActions.includes(name));
    if (command === undefined) return undefined;
    if (command === "DoConfigUpdate" && waiter.update) return send(waiter, call, waiter.update);
    waiter.reply({ action: { command }, responseToken: "" });
    return "offered";
  };
}

/** Hosts lose a role or tag that is deleted. */
const hasRoleAndTagsIn = (snapshot: Snapshot, { roleID, tags }: CallingHost) =>
  (roleID === null || snapshot.roles.has(roleID)) && tags.every((name) => snapshot.tags.has(name));

/** Returns whether the poll has ended. */
async function sendCommand(ctx: Context, waiter: Waiter): Promise<boolean> {
  const command = await takeCommand(ctx, waiter.call.host.id, waiter.supportedActions);
  if (command && waiter.isOpen) waiter.reply({ action: command.action, responseToken: command.token });
  else if (command) await putBackCommand(ctx, command.token);
  return !waiter.isOpen;
}
