/** The two servers of the soak test: the second one is killed and started again, and the memory of both is sampled. */
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@lightkeeper/e2e/dataplane";
import type { Outage } from "./failures.ts";
import { type Figure, median } from "./figure.ts";
import { repeat } from "./repeat.ts";
import { serve, type ServeOptions, type ServeProcess } from "./serve-process.ts";

const SAMPLE_EVERY_MS = 2000;
const MEMORY_RATIO_LIMIT = 1.2;
/** Caches must be filled and code compiled before memory is compared. */
const WARM_UP_SHARE = 1 / 3;
const COMPARED_SHARE = 1 / 6;
/** The memory of a new process grows for a minute or two, until it collects all garbage for the first time. */
const SETTLING_SHARE = 2 / 3;
/** The load balancer finds a server that has started again within this time. */
const REDISCOVERY_MS = 1500;

export class SoakServers {
  readonly #start: (index: number) => Promise<ServeProcess>;
  #servers: (ServeProcess | undefined)[] = [];
  /** In MiB, of the first server. */
  readonly #samples: number[] = [];
  /** In MiB, of the second server, for each time that it was started. */
  readonly #samplesByStart: number[][] = [[]];
  readonly urls: string[];
  readonly outages: Outage[] = [];

  private constructor(ports: readonly number[], options: Omit<ServeOptions, "port">) {
    this.#start = (index) => serve({ ...options, port: ports[index]! });
    this.urls = ports.map((port) => `http://127.0.0.1:${port}`);
  }

  static async start(options: Omit<ServeOptions, "port">): Promise<SoakServers> {
    const ports = [await freePort(), await freePort()];
    const servers = new SoakServers(ports, options);
    for (const index of ports.keys()) servers.#servers[index] = await servers.#start(index);
    return servers;
  }

  /** Samples the memory for this time, and kills the second server so often, always after the same time. */
  async run(durationMs: number, kills: number): Promise<void> {
    const stop = AbortSignal.timeout(durationMs);
    const sampling = repeat(SAMPLE_EVERY_MS, stop, async () => this.#sampleMemory());
    await Promise.all([sampling, this.#killEvery(durationMs / (kills + 1), kills)]);
  }

  async #killEvery(everyMs: number, kills: number): Promise<void> {
    const startedAt = performance.now();
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(Math.max(0, startedAt + kill * everyMs - performance.now()));
      await this.#kill();
    }
  }

  /** Restarts both servers one after the other, with SIGTERM. */
  async restart(): Promise<void> {
    for (const index of this.urls.keys()) {
      await this.#servers[index]?.stop();
      this.#servers[index] = await this.#start(index);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(async (server) => server?.stop()));
  }

  async #kill(): Promise<void> {
    const killed = this.#servers[1];
    const outage = { startedAt: Date.now(), endedAt: Infinity };
    this.outages.push(outage);
    this.#servers[1] = undefined;
    await killed?.kill();
    this.#servers[1] = await this.#start(1);
    this.#samplesByStart.push([]);
    await sleep(REDISCOVERY_MS);
    outage.endedAt = Date.now();
  }

  #sampleMemory(): void {
    const [first, second] = this.#servers;
    if (first) this.#samples.push(first.memory().mebibytes);
    if (second) this.#samplesByStart.at(-1)?.push(second.memory().mebibytes);
  }

  /** Compares the end of the run with the time after the warm-up, and the last start with the first after a kill. */
  figures(): Figure[] {
    const samples = this.#samples;
    const from = Math.floor(samples.length * WARM_UP_SHARE);
    const width = Math.max(1, Math.floor(samples.length * COMPARED_SHARE));
    const [firstStart = [], ...laterStarts] = this.#samplesByStart.slice(1);
    const lastStart = laterStarts.at(-1) ?? [];
    return [
      {
        what: "kills of a server",
        detail: "with SIGKILL, under load",
        value: this.outages.length,
        unit: " kills",
        limit: 1,
        limitIs: "at least",
      },
      memoryFigure(
        "memory of the server that isn't killed at the end, relative to the time after the warm-up",
        [samples.slice(from, from + width), samples.slice(-width)],
      ),
      memoryFigure(
        "memory of the killed server after its last start, relative to the same time after its first one",
        alignStarts(firstStart, lastStart),
      ),
    ];
  }
}

/** The end of the time that both have in common. */
function alignStarts(first: readonly number[], last: readonly number[]): [number[], number[]] {
  const length = Math.min(first.length, last.length);
  const from = Math.floor(length * SETTLING_SHARE);
  return [first.slice(from, length), last.slice(from, length)];
}

function memoryFigure(what: string, [early, late]: [number[], number[]]): Figure {
  const [before, after] = [median(early), median(late)];
  return {
    what,
    detail: `${before.toFixed(0)} MiB, then ${after.toFixed(0)} MiB`,
    value: after / before,
    unit: "×",
    limit: MEMORY_RATIO_LIMIT,
    limitIs: "at most",
  };
}
