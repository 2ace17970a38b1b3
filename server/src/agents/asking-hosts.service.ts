/** Asks a host something and waits for what it says. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { HostCommand } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import {
  type Addressee,
  COMMANDS_NOUN,
  type CommandState,
  dropCommand,
  findCommand,
  newResponseToken,
  queueCommand,
  takeChunks,
} from "./host-commands.service.ts";

const ANSWER_MS = 10_000;
/** How often a stream is looked at although nobody told of it. */
const LOOK_MS = 5_000;
/** How much longer than it was asked for a stream may take. */
const GRACE_MS = 15_000;

interface Ear {
  /** Resolves when there is news, and after so long in any case. */
  listen(ms: number): Promise<void>;
  /** Makes it news that nobody told. */
  alert(): void;
  close(): void;
}

function openEar({ changes }: Context, token: string): Ear {
  let hasNews = false;
  let wake: () => void = () => undefined;
  const heard = () => {
    hasNews = true;
    wake();
  };
  const close = changes.subscribe(({ noun, id }) => {
    if (noun === COMMANDS_NOUN && id === token) heard();
  }, heard);
  return {
    async listen(ms) {
      if (!hasNews) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, Math.max(0, ms));
        });
        clearTimeout(timer);
      }
      hasNews = false;
    },
    alert: heard,
    close,
  };
}

type Work<T> = (ear: Ear, token: string) => Promise<T>;

async function asking<T>(
  ctx: Context,
  addressee: Addressee,
  command: HostCommand,
  work: Work<T>,
): Promise<T> {
  const token = newResponseToken();
  const ear = openEar(ctx, token);
  try {
    await queueCommand(ctx, { token, ...addressee }, command, ctx.clock());
    return await work(ear, token);
  } finally {
    ear.close();
    await dropCommand(ctx, { token, ...addressee });
  }
}

/** Until the host has come as far as this; refuses when it does not. */
async function reaches(states: CommandState["state"][], ctx: Context, ear: Ear, token: string) {
  const deadline = performance.now() + ANSWER_MS;
  for (;;) {
    await ear.listen(deadline - performance.now());
    const command = await findCommand(ctx, token);
    if (command && states.includes(command.state)) return command;
    if (!command || performance.now() >= deadline) throw new ApiError("ERR_HOST_OFFLINE");
  }
}

export function askHost(ctx: Context, addressee: Addressee, command: HostCommand): Promise<unknown> {
  return asking(ctx, addressee, command, async (ear, token) => {
    const { response } = await reaches(["done"], ctx, ear, token);
    return response;
  });
}

export interface Listening {
  durationSeconds: number;
  /** Called when the host has begun to answer: where its bytes go. */
  begin: () => Writable;
}

/** Passes on what the host says until it ends, or whoever listens has gone. */
export function streamFromHost(
  ctx: Context,
  addressee: Addressee,
  command: HostCommand,
  { durationSeconds, begin }: Listening,
): Promise<void> {
  return asking(ctx, addressee, command, async (ear, token) => {
    await reaches(["streaming", "done"], ctx, ear, token);
    const to = begin();
    to.once("close", () => ear.alert());
    const deadline = performance.now() + durationSeconds * 1000 + GRACE_MS;
    while (!to.destroyed && performance.now() < deadline) {
      // The state first: whatever came before the end is there when the end is.
      const command = await findCommand(ctx, token);
      for (const chunk of await takeChunks(ctx, token))
        if (!to.destroyed && !to.write(chunk)) await Promise.race([once(to, "drain"), once(to, "close")]);
      if (command?.state !== "streaming") break;
      await ear.listen(LOOK_MS);
    }
    to.end();
  });
}
