/**
 * Live updates. One tab of the browser holds the stream (browsers allow six connections to an origin) and
 * tells the others; the events carry nouns, never data, and what is on screen is refetched.
 */
import { streamEvents, type Change } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { handleAuthError, invalidateNoun, queryClient } from "./query.ts";
import { readEvents } from "./event-stream.ts";
import { authState } from "./tokens.ts";

const NAME = "lightkeeper-events";
/** The server says something every 15 s; a stream silent for longer than this is dead. */
export const SILENCE_LIMIT_MS = 45_000;
const BACKOFF_MAX_MS = 30_000;
/** A burst of changes becomes one refetch per noun, and no refetch is overtaken by the next. */
export const BATCH_MS = 300;

type News = Pick<Change, "noun"> | "everything";

function createBatch() {
  let nouns = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    for (const noun of nouns) void invalidateNoun(noun);
    nouns = new Set();
  };
  return {
    add(news: News) {
      if (news === "everything") return void queryClient.invalidateQueries();
      nouns.add(news.noun);
      timer ??= setTimeout(flush, BATCH_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

export const backoffMs = (failures: number, random: number = Math.random()): number =>
  Math.min(BACKOFF_MAX_MS, 1000 * 2 ** failures) * (0.5 + random / 2);

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** One connection, until it ends, fails or falls silent. */
async function readOnce(signal: AbortSignal, onOpen: () => void, tell: (news: News) => void): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener("abort", end, { once: true });
  let silence = setTimeout(end, SILENCE_LIMIT_MS);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(end, SILENCE_LIMIT_MS);
  };
  try {
    const response = await api(streamEvents, { signal: connection.signal });
    onOpen();
    for await (const { event, data } of readEvents(response, heard)) {
      if (event === "change") tell({ noun: (JSON.parse(data) as Change).noun });
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
  }
}

async function holdStream(signal: AbortSignal, tell: (news: News) => void): Promise<void> {
  let failures = 0;
  let missedSomething = false;
  while (!signal.aborted && authState() === "authenticated") {
    try {
      await readOnce(
        signal,
        () => {
          failures = 0;
          if (missedSomething) tell("everything");
        },
        tell,
      );
    } catch (error) {
      if (!signal.aborted && error instanceof Error) handleAuthError(error);
    }
    missedSomething = true;
    await pause(backoffMs(failures++), signal);
  }
}

/** Follows changes until stopped. */
export function followEvents(): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const batch = createBatch();
  const otherTabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);
  otherTabs?.addEventListener("message", (event: MessageEvent<News>) => batch.add(event.data));
  const tell = (news: News) => {
    batch.add(news);
    otherTabs?.postMessage(news);
  };
  // Web Locks exist in secure contexts only; without them every tab holds its own stream.
  const held = navigator.locks
    ? navigator.locks.request(NAME, { signal }, () => holdStream(signal, tell))
    : holdStream(signal, tell);
  held.catch(() => undefined);
  return () => {
    stopped.abort();
    batch.stop();
    otherTabs?.close();
  };
}
