/**
 * Debug commands on their way to a host and back. Whoever asks, whoever holds the host's poll and whoever gets
 * the answer may be three processes: what they share is a row, and a word when it has changed.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { HostCommand } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { violates } from "../../infrastructure/db/violations.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { announce } from "../../infrastructure/changes/announce.ts";

/** What is told of a command is told to processes, not to consoles. */
export const COMMANDS_NOUN = "host-commands";

const CHUNK_BYTES_MAX = 64 * 1024;
/** What a command may hold in the database for its reader. */
const UNREAD_BYTES_MAX = 2 * 1024 * 1024;
const UNREAD_CHUNKS_MAX = 1000;
const TAKEN_CHUNKS_MAX = 16;
const FULL_RETRY_MS = 250;
const KEEP_MS = 20 * 60_000;

export interface Addressee {
  hostID: string;
  organizationID: string;
}

/** By which the answer to a command is known. */
export const newResponseToken = () => randomBytes(24).toString("base64url");

/** Said when nobody listens to a stream any more. */
const droppedID = (token: string) => `${token}/dropped`;

export interface Answer extends Addressee {
  token: string;
}

export async function queueCommand(
  { unaudited }: Pick<Context, "unaudited">,
  { token, hostID, organizationID }: Answer,
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

const STREAMS_PER_HOST_MAX = 3;
const STREAMS_PER_ORGANIZATION_MAX = 20;
/** The longest stream with its grace: a row that is older was left by a process that died. */
const STREAM_MS_MAX = 11 * 60_000;
const RETRY_AFTER_SECONDS = 60;
/** With the organization, the key of the lock that makes counting and adding one step. */
const STREAM_LOCK = 7_205_017;

/** Like `queueCommand`, within the limits of the host and the organization on all servers together. */
export async function queueLogStream(
  ctx: Context,
  answer: Answer,
  command: HostCommand,
  now: Date,
): Promise<void> {
  const { hostID, organizationID } = answer;
  await ctx.unaudited.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(STREAM_LOCK)}, hashtext(${organizationID}))`.execute(tx);
    const { ofHost, ofOrganization } = await tx
      .selectFrom("host_commands")
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere("host_id", "=", hostID).as("ofHost"),
        fn.countAll<number>().as("ofOrganization"),
      ])
      .where("organization_id", "=", organizationID)
      .where(sql<boolean>`action ->> 'command' = 'StreamLogs'`)
      .where("created_at", ">", new Date(now.getTime() - STREAM_MS_MAX))
      .executeTakeFirstOrThrow();
    if (ofHost >= STREAMS_PER_HOST_MAX) throw tooManyStreams("host", STREAMS_PER_HOST_MAX);
    if (ofOrganization >= STREAMS_PER_ORGANIZATION_MAX)
      throw tooManyStreams("organization", STREAMS_PER_ORGANIZATION_MAX);
    await queueCommand({ unaudited: tx }, answer, command, now);
  });
}

const tooManyStreams = (owner: "host" | "organization", limit: number) =>
  new ApiError("ERR_TOO_MANY_REQUESTS", {
    message: `this ${owner} already has ${limit} log streams: close one or try again later`,
    extra: { limit },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** The oldest that the host understands, taken off the queue. */
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

/** It did not get through: somebody else may take it. */
export async function putBackCommand({ unaudited }: Context, token: string): Promise<void> {
  await unaudited
    .updateTable("host_commands")
    .set({ state: "queued" })
    .where("token", "=", token)
    .where("state", "=", "sent")
    .execute();
}

/** Nobody may be waiting any more: then it is as if nothing had been said. */
export async function answerCommand(
  { unaudited }: Context,
  { token, hostID, organizationID }: Answer,
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

/** Passes on what comes in until it ends or nobody wants it any more. */
export async function streamAnswer(
  ctx: Context,
  { token, hostID, organizationID }: Answer,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const { unaudited, changes } = ctx;
  const enter = (state: "streaming" | "done", from: "sent" | "streaming") =>
    unaudited
      .updateTable("host_commands")
      .set({ state })
      .where("token", "=", token)
      .where("host_id", "=", hostID)
      .where("state", "=", from)
      .executeTakeFirstOrThrow();
  const tell = () => announce(unaudited, { noun: COMMANDS_NOUN, id: token, organizationID });
  let stop: () => void = () => undefined;
  const dropped = new Promise<undefined>((resolve) => {
    stop = changes.subscribe(({ noun, id }) => {
      if (noun === COMMANDS_NOUN && id === droppedID(token)) resolve(undefined);
    });
  });
  try {
    const begun = await enter("streaming", "sent");
    if (begun.numUpdatedRows === 0n) return;
    await tell();
    const pieces = inPieces(bytes);
    for (let sequence = 0; ; sequence++) {
      const next = await Promise.race([pieces.next(), dropped]);
      if (!next || next.done) break;
      if (!(await storeWhenRoom(ctx, { token, sequence, chunk: next.value }, dropped))) return;
      await tell();
    }
    await enter("done", "streaming");
    await tell();
  } finally {
    stop();
  }
}

function* piecesOf(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length; start += CHUNK_BYTES_MAX)
    yield chunk.subarray(start, start + CHUNK_BYTES_MAX);
}

async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) yield* piecesOf(chunk);
}

interface Chunk {
  token: string;
  sequence: number;
  chunk: Buffer;
}

/** Stores the chunk as soon as the reader has left room for it; false when the command no longer exists. */
async function storeWhenRoom(ctx: Context, chunk: Chunk, dropped: Promise<undefined>): Promise<boolean> {
  for (;;) {
    const { exists, isStored } = await storeChunk(ctx, chunk);
    if (isStored || !exists) return exists;
    const isDropped = await Promise.race([sleep(FULL_RETRY_MS, false), dropped.then(() => true)]);
    if (isDropped) return false;
  }
}

/** Stored only while the reader has not left too much unread. */
async function storeChunk(
  { unaudited }: Context,
  { token, sequence, chunk }: Chunk,
): Promise<{ exists: boolean; isStored: boolean }> {
  const statement = sql<{ exists: boolean; isStored: boolean }>`
    with command as (select token from host_commands where token = ${token}),
      unread as (select count(*) as chunks, coalesce(sum(octet_length(bytes)), 0) as bytes
        from host_command_chunks where token = ${token}),
      stored as (insert into host_command_chunks (token, sequence, bytes)
        select token, ${sequence}, ${chunk} from command, unread
          where unread.chunks < ${UNREAD_CHUNKS_MAX} and unread.bytes < ${UNREAD_BYTES_MAX}
        returning token)
    select exists (select from command) as "exists", exists (select from stored) as "isStored"`;
  const gone = { exists: false, isStored: false };
  try {
    return (await statement.execute(unaudited)).rows[0] ?? gone;
  } catch (error) {
    // The command was deleted while the statement ran.
    if (violates(error, "host_command_chunks_token_fkey")) return gone;
    throw error;
  }
}

export interface CommandState {
  state: "queued" | "sent" | "streaming" | "done";
  response: unknown;
}

/** Undefined when the host was blocked or deleted meanwhile. */
export function findCommand({ reader }: Context, token: string): Promise<CommandState | undefined> {
  return reader
    .selectFrom("host_commands")
    .select(["state", "response"])
    .where("token", "=", token)
    .executeTakeFirst();
}

/** The oldest chunks in their order, as many as fit into memory, removed from the table. */
export async function takeChunks({ unaudited }: Context, token: string): Promise<Buffer[]> {
  const rows = await unaudited
    .deleteFrom("host_command_chunks")
    .where("token", "=", token)
    .where("sequence", "in", (eb) =>
      eb
        .selectFrom("host_command_chunks")
        .select("sequence")
        .where("token", "=", token)
        .orderBy("sequence")
        .limit(TAKEN_CHUNKS_MAX),
    )
    .returning(["sequence", "bytes"])
    .execute();
  return rows.sort((a, b) => a.sequence - b.sequence).map(({ bytes }) => bytes);
}

/** Nobody waits for it any more. */
export async function dropCommand({ unaudited }: Context, { token, organizationID }: Answer): Promise<void> {
  const dropped = await unaudited
    .deleteFrom("host_commands")
    .where("token", "=", token)
    .returning("state")
    .executeTakeFirst();
  if (dropped?.state === "streaming")
    await announce(unaudited, { noun: COMMANDS_NOUN, id: droppedID(token), organizationID });
}

export async function deleteExpiredCommands({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited
    .deleteFrom("host_commands")
    .where("created_at", "<", new Date(now.getTime() - KEEP_MS))
    .execute();
}
