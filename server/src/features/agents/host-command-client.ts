/** Sends a command to a host and reads its reply. */
import type { Writable } from "node:stream";
import type { HostCommand } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { waitForDrain } from "../../infrastructure/http/wait-for-drain.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import {
  type Addressee,
  COMMANDS_NOUN,
  type CommandState,
  dropCommand,
  findCommand,
  newResponseToken,
  queueCommand,
} from "../../nouns/host-commands/host-commands.service.ts";
import { queueLogStream, takeChunks } from "../../nouns/host-commands/log-streams.service.ts";

const REPLY_MS = 10 * SECOND_MS;
/** A stream is also read at this interval, in case a change message was lost. */
const READ_MS = 5 * SECOND_MS;
/** How much longer than requested a stream may take. */
const GRACE_MS = 15 * SECOND_MS;
/** A reader that accepts nothing for this long is disconnected. */
const STALL_MS = 30 * SECOND_MS;
const STREAMS_PER_PROCESS_MAX = 100;
const RETRY_AFTER_SECONDS = 60;

export interface HostCommandClientOptions {
  stallMs?: number | undefined;
  streamsMax?: number | undefined;
}

export interface LogReader {
  durationSeconds: number;
  /** Called when the host starts to send; returns where its bytes go. */
  begin: () => Writable;
}

export interface HostCommandClient {
  run: (addressee: Addressee, command: HostCommand) => Promise<unknown>;
  /** Resolves when the host has sent everything, or the reader has left or stalled. */
  streamLogs: (addressee: Addressee, command: HostCommand, reader: LogReader) => Promise<void>;
}

interface ReplySubscription {
  /** Resolves when a reply arrives, or after this time. */
  wait(ms: number): Promise<void>;
  /** Ends the wait without a reply. */
  interrupt(): void;
  close(): void;
}

function subscribeToCommandReplies({ changes }: Context, token: string): ReplySubscription {
  let isDue = false;
  let resume: () => void = () => undefined;
  const interrupt = () => {
    isDue = true;
    resume();
  };
  const close = changes.subscribe(({ noun, id }) => {
    if (noun === COMMANDS_NOUN && id === token) interrupt();
  }, interrupt);
  return {
    async wait(ms) {
      if (!isDue) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          resume = resolve;
          timer = setTimeout(resolve, Math.max(0, ms));
        });
        clearTimeout(timer);
      }
      isDue = false;
    },
    interrupt,
    close,
  };
}

/** Waits until the command has one of the states; throws if the host takes too long. */
async function waitForState(
  states: CommandState["state"][],
  ctx: Context,
  { replies, token }: { replies: ReplySubscription; token: string },
): Promise<CommandState> {
  const deadline = performance.now() + REPLY_MS;
  for (;;) {
    await replies.wait(deadline - performance.now());
    const command = await findCommand(ctx, token);
    if (command && states.includes(command.state)) return command;
    if (!command || performance.now() >= deadline) throw new ApiError("ERR_HOST_OFFLINE");
  }
}

/** Writes the chunks until the stream ends, the deadline passes, or the reader leaves or stalls. */
async function copyChunks(
  ctx: Context,
  { replies, token, to }: { replies: ReplySubscription; token: string; to: Writable },
  { deadline, stallMs }: { deadline: number; stallMs: number },
): Promise<void> {
  while (!to.destroyed && performance.now() < deadline) {
    // Reads the state before the chunks: when it is done, all chunks are stored.
    const command = await findCommand(ctx, token);
    const chunks = await takeChunks(ctx, token);
    for (const chunk of chunks)
      if (!to.destroyed && !to.write(chunk) && !(await waitForDrain(to, stallMs))) return void to.destroy();
    if (chunks.length > 0) continue;
    if (command?.state !== "streaming") break;
    await replies.wait(READ_MS);
  }
  to.end();
}

/** Queues a command, and drops it when the work with its replies ends. */
async function withCommand<T>(
  ctx: Context,
  addressee: Addressee,
  queue: (token: string) => Promise<void>,
  work: (replies: ReplySubscription, token: string) => Promise<T>,
): Promise<T> {
  const token = newResponseToken();
  const replies = subscribeToCommandReplies(ctx, token);
  try {
    await queue(token);
    return await work(replies, token);
  } finally {
    replies.close();
    await dropCommand(ctx, { token, ...addressee });
  }
}

export function createHostCommandClient(
  ctx: Context,
  { stallMs = STALL_MS, streamsMax = STREAMS_PER_PROCESS_MAX }: HostCommandClientOptions = {},
): HostCommandClient {
  let streams = 0;
  return {
    run: (addressee, command) =>
      withCommand(
        ctx,
        addressee,
        (token) => queueCommand(ctx, { token, ...addressee }, command, ctx.clock()),
        async (replies, token) => (await waitForState(["done"], ctx, { replies, token })).response,
      ),

    async streamLogs(addressee, command, { durationSeconds, begin }) {
      if (streams >= streamsMax)
        throw new ApiError("ERR_TOO_MANY_REQUESTS", {
          message: `this server already has ${streamsMax} log streams: try again later`,
          extra: { limit: streamsMax },
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      streams++;
      try {
        await withCommand(
          ctx,
          addressee,
          (token) => queueLogStream(ctx, { token, ...addressee }, command, ctx.clock()),
          async (replies, token) => {
            await waitForState(["streaming", "done"], ctx, { replies, token });
            const to = begin();
            to.once("close", () => replies.interrupt());
            const deadline = performance.now() + durationSeconds * SECOND_MS + GRACE_MS;
            await copyChunks(ctx, { replies, token, to }, { deadline, stallMs });
          },
        );
      } finally {
        streams--;
      }
    },
  };
}
