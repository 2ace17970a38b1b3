/** Checks whether a waiting host has something to do, and then replies to its poll. */
import type { CallingHost } from "../agents/calling-hosts.service.ts";
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

export interface PollChecks {
  /** Offers the update that the host needs if its row hasn't changed since it was read. Returns whether it did. */
  offerExpectedUpdate(waiter: Waiter, snapshot: Snapshot): boolean;
  /**
   * Replies if the host has something to do, and fails the poll if the host no longer exists. Returns whether an update
   * was offered.
   */
  checkForWork(waiter: Waiter, host: CallingHost | undefined): Promise<boolean>;
}

export interface PollCheckOptions {
  waiting: WaitingHosts;
  findUpdate: FindUpdate;
  expectUpdate: ExpectUpdate;
}

export function createPollChecks(
  ctx: Context,
  { waiting, findUpdate, expectUpdate }: PollCheckOptions,
): PollChecks {
  return {
    // The host fetches what its current row needs, so an offer that it doesn't need is harmless.
    offerExpectedUpdate(waiter, snapshot) {
      const { call } = waiter;
      if (call.host.hasCommand || !hasRoleAndTagsIn(snapshot, call.host)) return false;
      try {
        return offer(waiter, expectUpdate({ ...call, now: ctx.clock() }, snapshot));
      } catch {
        return false;
      }
    },

    async checkForWork(waiter, host) {
      if (!waiter.isOpen) return false;
      try {
        if (!host) throw new ApiError("ERR_UNAUTHORIZED");
        if (host.hasCommand && (await sendCommand(ctx, waiter))) return false;
        const isOffered = offer(waiter, await findUpdate({ ...waiter.call, host, now: ctx.clock() }));
        if (waiter.isOpen) waiting.refresh(waiter, host);
        return isOffered;
      } catch (error) {
        // The failure of one host must not affect the others.
        waiter.fail(error as Error);
        return false;
      }
    },
  };
}

/** Returns whether there is an update that the client supports. */
function offer(waiter: Waiter, update: Update | undefined): boolean {
  const command = update && actionsFor[update].find((name) => waiter.supportedActions.includes(name));
  if (command !== undefined) waiter.reply({ action: { command }, responseToken: "" });
  return command !== undefined;
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
