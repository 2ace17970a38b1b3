/** The reply to a StreamLogs command, passed through the database in chunks. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HostCommand } from "@lightkeeper/contract";
import { sql } from "kysely";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { violates } from "../../infrastructure/db/violations.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import {
  changeCommandState,
  type CommandReference,
  COMMANDS_NOUN,
  droppedID,
  queueCommand,
} from "./host-commands.service.ts";

const CHUNK_BYTES_MAX = 64 * 1024;
/** The unread bytes of a command that the database stores. */
const UNREAD_BYTES_MAX = 2 * 1024 * 1024;
const UNREAD_CHUNKS_MAX = 1000;
const TAKEN_CHUNKS_MAX = 16;
const FULL_RETRY_MS = 250;

const STREAMS_PER_HOST_MAX = 3;
const STREAMS_PER_ORGANIZATION_MAX = 20;
/** The longest stream with its grace period: an older row was left by a process that died. */
const STREAM_MS_MAX = 11 * MINUTE_MS;
const RETRY_AFTER_SECONDS = 60;
/** With the organization, the key of the lock that makes counting and inserting atomic. */
const STREAM_LOCK = 7_205_017;

/** Like `queueCommand`, within the limits of the host and the organization across all servers. */
export async function queueLogStream(
  ctx: Context,
  reference: CommandReference,
  command: HostCommand,
  now: Date,
): Promise<void> {
  const { hostID, organizationID } = reference;
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
    await queueCommand({ unaudited: tx }, reference, command, now);
  });
}

const tooManyStreams = (owner: "host" | "organization", limit: number) =>
  new ApiError("ERR_TOO_MANY_REQUESTS", {
    message: `this ${owner} already has ${limit} log streams: close one or try again later`,
    extra: { limit },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** Stores what the host sends until the stream ends or its reader leaves. */
export async function streamCommandReply(
  ctx: Context,
  reference: CommandReference,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const { token, organizationID } = reference;
  const announceChange = () => announce(ctx.unaudited, { noun: COMMANDS_NOUN, id: token, organizationID });
  const { dropped, unsubscribe } = subscribeToDrop(ctx, token);
  try {
    if (!(await changeCommandState(ctx, reference, { from: "sent", to: "streaming" }))) return;
    await announceChange();
    const chunks = splitChunks(bytes);
    for (let sequence = 0; ; sequence++) {
      const next = await Promise.race([chunks.next(), dropped]);
      if (!next || next.done) break;
      if (!(await storeWhenRead(ctx, { token, sequence, chunk: next.value }, dropped))) return;
      await announceChange();
    }
    await changeCommandState(ctx, reference, { from: "streaming", to: "done" });
    await announceChange();
  } finally {
    unsubscribe();
  }
}

function subscribeToDrop({ changes }: Context, token: string) {
  let unsubscribe: () => void = () => undefined;
  const dropped = new Promise<undefined>((resolve) => {
    unsubscribe = changes.subscribe(({ noun, id }) => {
      if (noun === COMMANDS_NOUN && id === droppedID(token)) resolve(undefined);
    });
  });
  return { dropped, unsubscribe };
}

async function* splitChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let start = 0; start < chunk.length; start += CHUNK_BYTES_MAX)
      yield chunk.subarray(start, start + CHUNK_BYTES_MAX);
}

interface Chunk {
  token: string;
  sequence: number;
  chunk: Buffer;
}

/** Waits until the reader has read enough; returns false if the command no longer exists. */
async function storeWhenRead(ctx: Context, chunk: Chunk, dropped: Promise<undefined>): Promise<boolean> {
  for (;;) {
    const { exists, isStored } = await storeChunk(ctx, chunk);
    if (isStored || !exists) return exists;
    const isDropped = await Promise.race([sleep(FULL_RETRY_MS, false), dropped.then(() => true)]);
    if (isDropped) return false;
  }
}

/** Stores the chunk only while the unread chunks are below the limits. */
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
  const missing = { exists: false, isStored: false };
  try {
    return (await statement.execute(unaudited)).rows[0] ?? missing;
  } catch (error) {
    // The command was deleted while the statement ran.
    if (violates(error, "host_command_chunks_token_fkey")) return missing;
    throw error;
  }
}

/** Removes and returns the oldest chunks in order, as many as fit into memory. */
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
