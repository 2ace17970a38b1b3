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

class RunningLoad implements Load {
  succeeded = 0;
  readonly failures: string[] = [];
  readonly #options: Required<LoadOptions>;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ready = new Set<string>();
  readonly #running: Promise<void>[];
  #isStopped = false;
  #nextIndex = 0;

  constructor(options: Required<LoadOptions>) {
    this.#options = options;
    this.#running = [
      ...options.urls.map((url) => this.#watch(url)),
      ...Array.from({ length: options.clients }, () => this.#repeat()),
    ];
  }

  async uses(url: string): Promise<void> {
    while (!this.#ready.has(url)) await sleep(this.#options.checkEveryMs);
  }

  async stop(): Promise<LoadResult> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
    return { succeeded: this.succeeded, failures: this.failures };
  }

  /** Keeps the list of ready servers up to date. */
  async #watch(url: string): Promise<void> {
    while (!this.#isStopped) {
      if (await isReady(url)) this.#ready.add(url);
      else this.#ready.delete(url);
      await sleep(this.#options.checkEveryMs);
    }
  }

  /** Sends the requests of one client. */
  async #repeat(): Promise<void> {
    const { pauseMs, checkEveryMs } = this.#options;
    while (!this.#isStopped) {
      const choices = [...this.#ready];
      const url = choices[this.#nextIndex++ % choices.length];
      if (url) await this.#sendNext(url);
      await sleep(url ? pauseMs : checkEveryMs);
    }
  }

  async #sendNext(url: string): Promise<void> {
    const loadRequest = this.#options.next();
    const outcome = await send(url, this.#agent, loadRequest).then(
      ({ status, text }) => (status === 200 ? undefined : `${status} ${text}`),
      (error: unknown) => String(error),
    );
    if (outcome === undefined) this.succeeded++;
    else this.failures.push(`${loadRequest.method} ${loadRequest.path} at ${url}: ${outcome}`);
  }
}

export function startLoad(options: LoadOptions): Load {
  return new RunningLoad({ ...options, checkEveryMs: options.checkEveryMs ?? CHECK_EVERY_MS });
}
