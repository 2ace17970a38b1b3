/**
 * Debug commands on their way to a host and back. Whoever asks, whoever holds the host's poll and whoever gets
 * the answer may be three processes: what they share is a row, and a word when it has changed.
 */
import { randomBytes } from "node:crypto";
import type { HostCommand } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { announce } from "../live/announce.ts";

/** What is told of a command is told to processes, not to consoles. */
export const COMMANDS_NOUN = "host-commands";

const CHUNK_BYTES_MAX = 64 * 1024;
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
  { bookkeeper }: Context,
  { token, hostID, organizationID }: Answer,
  command: HostCommand,
  now: Date,
): Promise<void> {
  await bookkeeper
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
  await announce(bookkeeper, { noun: COMMANDS_NOUN, id: hostID, organizationID });
}

/** The oldest that the host understands, taken off the queue. */
export async function takeCommand(
  { bookkeeper }: Context,
  hostID: string,
  supportedActions: readonly string[],
): Promise<{ token: string; action: HostCommand } | undefined> {
  return bookkeeper
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
export async function putBackCommand({ bookkeeper }: Context, token: string): Promise<void> {
  await bookkeeper
    .updateTable("host_commands")
    .set({ state: "queued" })
    .where("token", "=", token)
    .where("state", "=", "sent")
    .execute();
}

/** Nobody may be waiting any more: then it is as if nothing had been said. */
export async function answerCommand(
  { bookkeeper }: Context,
  { token, hostID, organizationID }: Answer,
  response: unknown,
): Promise<void> {
  await bookkeeper
    .updateTable("host_commands")
    .set({ state: "done", response: JSON.stringify(response ?? null) })
    .where("token", "=", token)
    .where("host_id", "=", hostID)
    .where("state", "=", "sent")
    .execute();
  await announce(bookkeeper, { noun: COMMANDS_NOUN, id: token, organizationID });
}

/** Passes on what comes in until it ends or nobody wants it any more. */
export async function streamAnswer(
  ctx: Context,
  { token, hostID, organizationID }: Answer,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const { bookkeeper, changes } = ctx;
  const enter = (state: "streaming" | "done", from: "sent" | "streaming") =>
    bookkeeper
      .updateTable("host_commands")
      .set({ state })
      .where("token", "=", token)
      .where("host_id", "=", hostID)
      .where("state", "=", from)
      .executeTakeFirstOrThrow();
  const tell = () => announce(bookkeeper, { noun: COMMANDS_NOUN, id: token, organizationID });
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
      if (!(await storeChunk(ctx, { token, sequence, chunk: next.value }))) return;
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

/** Whether there is still somebody to read it: who stops listening takes the command away. */
async function storeChunk(
  { bookkeeper }: Context,
  { token, sequence, chunk }: { token: string; sequence: number; chunk: Buffer },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into host_command_chunks (token, sequence, bytes)
      select token, ${sequence}, ${chunk} from host_commands where token = ${token} for key share`.execute(
    bookkeeper,
  );
  return numAffectedRows === 1n;
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

/** What came in since, in its order, and gone from where it was kept. */
export async function takeChunks({ bookkeeper }: Context, token: string): Promise<Buffer[]> {
  const rows = await bookkeeper
    .deleteFrom("host_command_chunks")
    .where("token", "=", token)
    .returning(["sequence", "bytes"])
    .execute();
  return rows.sort((a, b) => a.sequence - b.sequence).map(({ bytes }) => bytes);
}

/** Nobody waits for it any more. */
export async function dropCommand({ bookkeeper }: Context, { token, organizationID }: Answer): Promise<void> {
  const dropped = await bookkeeper
    .deleteFrom("host_commands")
    .where("token", "=", token)
    .returning("state")
    .executeTakeFirst();
  if (dropped?.state === "streaming")
    await announce(bookkeeper, { noun: COMMANDS_NOUN, id: droppedID(token), organizationID });
}

export async function forgetCommands({ bookkeeper }: Context, now: Date): Promise<void> {
  await bookkeeper
    .deleteFrom("host_commands")
    .where("created_at", "<", new Date(now.getTime() - KEEP_MS))
    .execute();
}
