/**
 * Debug commands of hosts. The process that queues a command, the one that has the host's poll and the one that
 * receives the reply may differ: they share a row, and a change message announces each change.
 */
import { randomBytes } from "node:crypto";
import type { HostCommand } from "@lightkeeper/contract";
import { sql } from "kysely";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

/** Change messages about commands are for processes, not for consoles. */
export const COMMANDS_NOUN = "host-commands";

const RETENTION_MS = 20 * MINUTE_MS;

export interface Addressee {
  hostID: string;
  organizationID: string;
}

export interface CommandReference extends Addressee {
  /** Identifies the reply to a command. */
  token: string;
}

export const newResponseToken = () => randomBytes(24).toString("base64url");

/** The id of the message that the reader of a stream has left. */
export const droppedID = (token: string) => `${token}/dropped`;

export async function queueCommand(
  { unaudited }: Pick<Context, "unaudited">,
  { token, hostID, organizationID }: CommandReference,
  command: HostCommand,
  now: Date,
): Promise<void> {
  await unaudited
    .insertInto("host_commands")
    .values({
      token,
      organization_id: organizationID,
      host_id: hostID,
      action: JSON.stringify(command),
      state: "queued",
      created_at: now,
    })
    .execute();
  await announce(unaudited, { noun: COMMANDS_NOUN, id: hostID, organizationID });
}

/** Takes the oldest command that the host supports off the queue. */
export async function takeCommand(
  { unaudited }: Context,
  hostID: string,
  supportedActions: readonly string[],
): Promise<{ token: string; action: HostCommand } | undefined> {
  return unaudited
    .updateTable("host_commands")
    .set({ state: "sent" })
    .where("token", "=", (eb) =>
      eb
        .selectFrom("host_commands")
        .select("token")
        .where("host_id", "=", hostID)
        .where("state", "=", "queued")
        .where(sql<boolean>`action ->> 'command' = any(${supportedActions}::text[])`)
        .orderBy("created_at")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(["token", "action"])
    .executeTakeFirst();
}

/** For a command that could not be sent: another poll may take it. */
export async function putBackCommand({ unaudited }: Context, token: string): Promise<void> {
  await unaudited
    .updateTable("host_commands")
    .set({ state: "queued" })
    .where("token", "=", token)
    .where("state", "=", "sent")
    .execute();
}

/** Ignores the reply if the command no longer exists. */
export async function storeCommandReply(
  { unaudited }: Context,
  { token, hostID, organizationID }: CommandReference,
  response: unknown,
): Promise<void> {
  await unaudited
    .updateTable("host_commands")
    .set({ state: "done", response: JSON.stringify(response ?? null) })
    .where("token", "=", token)
    .where("host_id", "=", hostID)
    .where("state", "=", "sent")
    .execute();
  await announce(unaudited, { noun: COMMANDS_NOUN, id: token, organizationID });
}

/** Returns whether the command was in the state `from`. */
export async function changeCommandState(
  { unaudited }: Context,
  { token, hostID }: CommandReference,
  { from, to }: { from: CommandState["state"]; to: CommandState["state"] },
): Promise<boolean> {
  const { numUpdatedRows } = await unaudited
    .updateTable("host_commands")
    .set({ state: to })
    .where("token", "=", token)
    .where("host_id", "=", hostID)
    .where("state", "=", from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export interface CommandState {
  state: "queued" | "sent" | "streaming" | "done";
  response: unknown;
}

/** Undefined if the host was blocked or deleted in the meantime. */
export function findCommand({ reader }: Context, token: string): Promise<CommandState | undefined> {
  return reader
    .selectFrom("host_commands")
    .select(["state", "response"])
    .where("token", "=", token)
    .executeTakeFirst();
}

/** For a command whose reader has left. */
export async function dropCommand(
  { unaudited }: Context,
  { token, organizationID }: CommandReference,
): Promise<void> {
  const dropped = await unaudited
    .deleteFrom("host_commands")
    .where("token", "=", token)
    .returning("state")
    .executeTakeFirst();
  if (dropped?.state === "streaming")
    await announce(unaudited, { noun: COMMANDS_NOUN, id: droppedID(token), organizationID });
}

export async function deleteCommandsOfHosts(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  await tx.deleteFrom("host_commands").where("host_id", "in", hostIDs).execute();
}

export async function deleteExpiredCommands({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited
    .deleteFrom("host_commands")
    .where("created_at", "<", new Date(now.getTime() - RETENTION_MS))
    .execute();
}
