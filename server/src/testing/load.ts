/** Clients with keep-alive connections that distribute their requests over the ready servers. */
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface LoadRequest {
  method: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

export interface LoadOptions {
  /** Not all servers need to run all the time. */
  urls: string[];
  clients: number;
  /** How long each client waits after a response. */
  pauseMs: number;
  /** Returns the next request. */
  next: () => LoadRequest;
  /** Interval of readiness checks. */
  checkEveryMs?: number;
}

export interface LoadResult {
  /** Requests with status 200. */
  succeeded: number;
  /** One line for each of the others. */
  failures: string[];
}

export interface Load {
  readonly succeeded: number;
  readonly failures: readonly string[];
  /** Resolves when this server receives requests. */
  uses: (url: string) => Promise<void>;
  /** Lets the requests in progress finish. */
  stop: () => Promise<LoadResult>;
}

const CHECK_EVERY_MS = 100;
const CHECK_MS_MAX = 2000;

/** Resolves with the complete response; rejects if the connection fails. Does not retry. */
function send(
  url: string,
  agent: Agent | false,
  { method, path, headers, body }: LoadRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { method, agent, ...(headers && { headers }) };
    const sent = request(`${url}${path}`, options, (response) => {
      response.on("error", reject);
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function isReady(url: string): Promise<boolean> {
  const status = send(url, false, { method: "GET", path: "/readyz" }).then(
    (response) => response.status,
    () => 0,
  );
  return (await Promise.race([status, sleep(CHECK_MS_MAX, 0, { ref: false })])) === 200;
}

export function startLoad({
  urls,
  clients,
  pauseMs,
  next,
  checkEveryMs = CHECK_EVERY_MS,
}: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const failures: string[] = [];
  let succeeded = 0;
  let isStopped = false;
  let nextIndex = 0;

  async function watch(url: string): Promise<void> {
    while (!isStopped) {
      if (await isReady(url)) ready.add(url);
      else ready.delete(url);
      await sleep(checkEveryMs);
    }
  }
  async function sendNext(url: string): Promise<void> {
    const loadRequest = next();
    const outcome = await send(url, agent, loadRequest).then(
      ({ status, text }) => (status === 200 ? undefined : `${status} ${text}`),
      (error: unknown) => String(error),
    );
    if (outcome === undefined) succeeded++;
    else failures.push(`${loadRequest.method} ${loadRequest.path} at ${url}: ${outcome}`);
  }
  async function repeat(): Promise<void> {
    while (!isStopped) {
      const choices = [...ready];
      const url = choices[nextIndex++ % choices.length];
      if (url) await sendNext(url);
      await sleep(url ? pauseMs : checkEveryMs);
    }
  }
  const running = [...urls.map(watch), ...Array.from({ length: clients }, repeat)];

  return {
    get succeeded() {
      return succeeded;
    },
    failures,
    uses: async (url) => {
      while (!ready.has(url)) await sleep(checkEveryMs);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
      agent.destroy();
      return { succeeded, failures };
    },
  };
}
