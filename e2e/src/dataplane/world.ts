/** A server, an account with one network, and machines whose agents enrol in it. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Client,
  createHostAndEnrollmentCodeV2,
  createNetwork,
  type HostV2CreateInput,
  type Network,
} from "@lightkeeper/contract";
import { nebulaBinaries } from "../../../scripts/nebula-versions.mjs";
import { createAccount, type Account } from "../account.ts";
import { freePort, type ServerProcess, startServer, temporaryDataDir } from "../server-process.ts";
import { ControlLink } from "./control-link.ts";
import { OverlayHost } from "./overlay-host.ts";
import { until } from "./shell.ts";
import { Underlay } from "./underlay.ts";

const AGENT_FOLDER = resolve(import.meta.dirname, "../../../agent/dist");

/** Oldest first, as the binaries come. */
export const nebulaVersions = ["1.6.1", "1.9.3", "1.11.0"] as const;
export type NebulaVersion = (typeof nebulaVersions)[number];

export interface HostOptions extends Partial<HostV2CreateInput> {
  /** Whether others find it on the underlay without asking: lighthouses, relays. */
  isStatic?: boolean;
  /** Instead of the one of the world's version. */
  nebula?: string;
  codeLifetimeSeconds?: number;
}

export const UNDERLAY_PORT = 4242;

export class World {
  readonly underlay: Underlay;
  readonly link: ControlLink;
  readonly account: Account;
  readonly network: Network;
  readonly nebula: string;
  readonly hosts: OverlayHost[] = [];
  private current: ServerProcess;
  private readonly port: number;
  private readonly removeData: () => void;

  private constructor(parts: {
    underlay: Underlay;
    link: ControlLink;
    account: Account;
    network: Network;
    nebula: string;
    server: ServerProcess;
    port: number;
    removeData: () => void;
  }) {
    this.underlay = parts.underlay;
    this.link = parts.link;
    this.account = parts.account;
    this.network = parts.network;
    this.nebula = parts.nebula;
    this.current = parts.server;
    this.port = parts.port;
    this.removeData = parts.removeData;
  }

  static async create(version: NebulaVersion): Promise<World> {
    const port = await freePort();
    const { dataDir, remove } = temporaryDataDir();
    const server = await startServer({ dataDir, port });
    const account = await createAccount(server);
    const network = await account.call(createNetwork, { body: { name: "overlay" } });
    const underlay = await Underlay.create();
    const link = await ControlLink.create(underlay.gateway, () => server.url);
    return new World({
      underlay,
      link,
      account,
      network,
      nebula: await nebulaOf(version),
      server,
      port,
      removeData: remove,
    });
  }

  get call(): Client {
    return this.account.call;
  }

  get server(): ServerProcess {
    return this.current;
  }

  /** Made in the control plane, on a machine of its own, enrolled; not started. */
  async addHost(name: string, options: HostOptions = {}): Promise<OverlayHost> {
    const { host, code } = await this.makeHost(name, options);
    await host.enroll(code);
    return host;
  }

  /** The same, with its code in hand but not enrolled. */
  async makeHost(
    name: string,
    { isStatic = false, nebula = this.nebula, ...options }: HostOptions = {},
  ): Promise<{ host: OverlayHost; code: string }> {
    const machine = await this.underlay.machine(name);
    const reachable = { staticAddresses: [`${machine.address}:${UNDERLAY_PORT}`], listenPort: UNDERLAY_PORT };
    const body = { name, networkID: this.network.id, ...(isStatic && reachable), ...options };
    const { host, enrollmentCode } = await this.call(createHostAndEnrollmentCodeV2, { body });
    const made = new OverlayHost({
      machine,
      agent: builtAgent(),
      nebula,
      server: this.link.url,
      id: host.id,
      address: host.ipAddresses[0] ?? "",
    });
    this.hosts.push(made);
    return { host: made, code: enrollmentCode.code };
  }

  /** Started, and so far that the lighthouse answers. */
  async startHosts(lighthouse: OverlayHost): Promise<void> {
    for (const host of this.hosts) if (!host.isAlive()) host.start();
    await Promise.all(
      this.hosts
        .filter((host) => host !== lighthouse)
        .map((host) =>
          until(`${host.machine.name} reaches the lighthouse`, () => host.probe.ping(lighthouse.address), {
            seconds: 120,
          }),
        ),
    );
  }

  get dataDir(): string {
    return this.current.dataDir;
  }

  async killServer(): Promise<void> {
    await this.current.kill();
  }

  async startServer(environment: Record<string, string> = {}): Promise<void> {
    this.current = await startServer({ dataDir: this.current.dataDir, port: this.port, environment });
  }

  async remove(): Promise<void> {
    for (const host of this.hosts) await host.stop("SIGKILL");
    await this.underlay.remove();
    for (const host of this.hosts) host.remove();
    await this.link.remove();
    await this.current.stop();
    this.removeData();
  }
}

/** By age: the newest suite may have moved on since. */
async function nebulaOf(version: NebulaVersion): Promise<string> {
  const binaries = await nebulaBinaries();
  const found = binaries[nebulaVersions.indexOf(version)];
  if (!found) throw new Error(`There is no nebula ${version} here.`);
  return found.nebula;
}

function builtAgent(): string {
  const bundle = readdirSync(AGENT_FOLDER).find((name) => name.endsWith(".mjs"));
  if (bundle === undefined) throw new Error("The agent has not been built: node scripts/prepare.mjs");
  return join(AGENT_FOLDER, bundle);
}
