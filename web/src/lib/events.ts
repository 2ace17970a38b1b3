/**
 * Live updates. One tab of the browser keeps the stream open (browsers allow six connections per origin) and forwards
 * events to the others. Events carry nouns, never data: the queries on screen are refetched.
 */
import { streamEvents, type Change } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { handleAuthError, invalidateNoun, queryClient } from "./query.ts";
import { readEvents } from "./event-stream.ts";
import { authState } from "./tokens.ts";

const NAME = "lightkeeper-events";
/** The server sends a comment every 15 s; a stream that is silent for longer than this is dead. */
export const SILENCE_LIMIT_MS = 45_000;
const BACKOFF_MAX_MS = 30_000;
/** Groups a burst of changes into one refetch per noun. */
export const BATCH_MS = 300;

type ChangeMessage = Pick<Change, "noun"> | "everything";

function createBatch() {
  let nouns = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    for (const noun of nouns) void invalidateNoun(noun);
    nouns = new Set();
  };
  return {
    add(message: ChangeMessage) {
      if (message === "everything") return void queryClient.invalidateQueries();
      nouns.add(message.noun);
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

/** Reads one connection until it ends, fails or goes silent. */
async function readOnce(
  signal: AbortSignal,
  onOpen: () => void,
  publish: (message: ChangeMessage) => void,
): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener("abort", end, { once: true });
  let silence = setTimeout(end, SILENCE_LIMIT_MS);
  const restartSilenceTimer = () => {
    clearTimeout(silence);
    silence = setTimeout(end, SILENCE_LIMIT_MS);
  };
  try {
    const response = await api(streamEvents, { signal: connection.signal });
    onOpen();
    for await (const { event, data } of readEvents(response, restartSilenceTimer)) {
      if (event === "change") publish({ noun: (JSON.parse(data) as Change).noun });
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
  }
}

async function keepStreamOpen(signal: AbortSignal, publish: (message: ChangeMessage) => void): Promise<void> {
  let failures = 0;
  let mayHaveMissedChanges = false;
  while (!signal.aborted && authState() === "authenticated") {
    try {
      await readOnce(
        signal,
        () => {
          failures = 0;
          if (mayHaveMissedChanges) publish("everything");
        },
        publish,
      );
    } catch (error) {
      if (!signal.aborted && error instanceof Error) handleAuthError(error);
    }
    mayHaveMissedChanges = true;
    await pause(backoffMs(failures++), signal);
  }
}

/** Follows changes until stopped. */
export function followEvents(): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const batch = createBatch();
  const otherTabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);
  otherTabs?.addEventListener("message", (event: MessageEvent<ChangeMessage>) => batch.add(event.data));
  const publish = (message: ChangeMessage) => {
    batch.add(message);
    otherTabs?.postMessage(message);
  };
  // Web Locks exist in secure contexts only; without them every tab opens its own stream.
  const streaming = navigator.locks
    ? navigator.locks.request(NAME, { signal }, () => keepStreamOpen(signal, publish))
    : keepStreamOpen(signal, publish);
  streaming.catch(() => undefined);
  return () => {
    stopped.abort();
    batch.stop();
    otherTabs?.close();
  };
}
