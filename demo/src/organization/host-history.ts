/** Creates the hosts of the demo through the API and moves them through their lives. */
import {
  blockHostV2,
  type Client,
  createHostAndEnrollmentCodeV2,
  type HostV2CreateInput,
} from "@lightkeeper/contract";
import type { NetworkKey } from "@lightkeeper/server/seeds";
import type { DemoAgent } from "../agents/demo-agent.ts";
import { keyOf } from "../agents/topology.ts";
import type { PlannedHost } from "./host-plan.ts";
import type { HistoryServer } from "./history-server.ts";
import type { Person } from "./people.ts";
import type { Setup } from "./setup.ts";

const MINUTE_MS = 60_000;
/** How long the other hosts need to apply a block. */
const ACKNOWLEDGED_AFTER_MS = 2400;
const PARALLEL_AGENTS = 20;
const PORT = 4242;

/** By the first part of the name. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  lighthouse: "Helps hosts find each other",
  relay: "Forwards traffic between hosts behind strict NATs",
  gateway: "Gateway to the subnets of the site",
  web: "Serves the public website",
  api: "Backend of the website and the apps",
  worker: "Runs jobs from the queue",
  db: "PostgreSQL",
  cache: "Redis",
  pay: "Payment API",
  metrics: "Prometheus and dashboards",
  bastion: "SSH access to the servers",
  runner: "Builds and tests",
  sensor: "Temperature sensor in the warehouse",
  lab: "Experiments",
  laptop: "Company laptop",
  desk: "Desktop in the office",
  guest: "Device of a contractor",
};

const OWNERS: Readonly<Record<string, string>> = {
  "team:web": "Web team",
  "team:data": "Data team",
  "team:security": "Security team",
  "team:support": "Support team",
};

export interface Event {
  /** Days before now. */
  days: number;
  run: () => Promise<unknown>;
}

export type Enroll = (host: PlannedHost, code: string) => Promise<DemoAgent>;

interface HostHistoryOptions {
  server: HistoryServer;
  setup: Setup;
  terraform: Client;
  enroll: Enroll;
  /** The person who blocks hosts. */
  security: () => Person;
}

export class HostHistory {
  /** By network and name. */
  readonly ids = new Map<string, string>();
  readonly enrolled: DemoAgent[] = [];
  readonly #running = new Set<DemoAgent>();
  readonly #options: HostHistoryOptions;

  constructor(options: HostHistoryOptions) {
    this.#options = options;
  }

  eventsOf(host: PlannedHost): Event[] {
    const { fate, createdDays } = host;
    let agent: DemoAgent | undefined;
    const added = { days: createdDays, run: async () => (agent = await this.#add(host)) };
    if (fate.kind === "offline") return [added, { days: fate.lastSeenDays, run: () => this.#leave(agent) }];
    if (fate.kind !== "blocked") return [added];
    const block = async () => {
      await this.#leave(agent);
      await this.#block(host);
    };
    return [added, { days: fate.blockedDays, run: block }];
  }

  /** All running agents, or those of a network, fetch what is new and report it. */
  async sync(network?: NetworkKey): Promise<void> {
    const queue = [...this.#running].filter(({ host }) => network === undefined || host.network === network);
    const work = async () => {
      for (let agent = queue.pop(); agent; agent = queue.pop()) {
        await agent.fetchUpdates();
        await agent.report();
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_AGENTS }, work));
    await this.#options.server.settlePresence();
  }

  async #add(host: PlannedHost): Promise<DemoAgent | undefined> {
    const { server, terraform, enroll } = this.#options;
    const body = this.#describe(host);
    const { host: created, enrollmentCode } = await terraform(createHostAndEnrollmentCodeV2, { body });
    this.ids.set(keyOf(host), created.id);
    if (host.fate.kind === "neverEnrolled") return undefined;
    server.advance(4 * MINUTE_MS);
    const agent = await enroll(host, enrollmentCode.code);
    this.#running.add(agent);
    this.enrolled.push(agent);
    await agent.report();
    return agent;
  }

  #describe({ name, network, role, tags, is }: PlannedHost): HostV2CreateInput {
    const { networkIDs, roleIDs } = this.#options.setup;
    const isReachable = is === "lighthouse" || is === "relay";
    return {
      name,
      networkID: networkIDs[network],
      roleID: role && roleIDs[role],
      description: DESCRIPTIONS[name.split("-")[0] ?? ""] ?? "",
      owner: tags.flatMap((tag) => OWNERS[tag] ?? [])[0] ?? "Platform team",
      tags,
      isLighthouse: is === "lighthouse",
      isRelay: is === "relay",
      ...(isReachable && { staticAddresses: [`${name}.harborline.example:${PORT}`], listenPort: PORT }),
    };
  }

  /** The agent reports for the last time. */
  async #leave(agent: DemoAgent | undefined): Promise<void> {
    if (!agent) return;
    await agent.fetchUpdates();
    await agent.report();
    this.#running.delete(agent);
    await this.#options.server.settlePresence();
  }

  async #block(host: PlannedHost): Promise<void> {
    const { server, security } = this.#options;
    server.advance(20 * MINUTE_MS);
    await security().call(blockHostV2, { params: { hostID: this.ids.get(keyOf(host)) ?? "" } });
    server.advance(ACKNOWLEDGED_AFTER_MS);
    await this.sync(host.network);
    await server.recordAcknowledgments();
  }
}
