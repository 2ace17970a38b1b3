/** An account with one network, and machines whose agents enroll in it. */
import { readdirSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join, resolve } from "node:path";
import {
  type Client,
  createHostAndEnrollmentCodeV2,
  createNetworkV2,
  type HostV2CreateInput,
  type Input,
  type NetworkV2,
} from "@lightkeeper/contract";
import { nodeFlagsOf } from "@lightkeeper/contract/agent-launcher";
import { nebulaBinaries } from "../../../scripts/nebula-versions.mjs";
import { createAccount, type Account } from "../account.ts";
import { freePort } from "../free-port.ts";
import { type ServerProcess, startServer, temporaryDataDir } from "../server-process.ts";
import { ControlPlaneProxy } from "./control-plane-proxy.ts";
import { OverlayHost, type OverlayHostOptions } from "./overlay-host.ts";
import { until } from "../until.ts";
import { type Family, Underlay } from "./underlay.ts";

const AGENT_FOLDER = resolve(import.meta.dirname, "../../../agent/dist");

/** Oldest first, in the order of `nebulaBinaries`. */
export const nebulaVersions = ["1.6.1", "1.9.3", "1.11.0"] as const;
export type NebulaVersion = (typeof nebulaVersions)[number];

export interface HostOptions extends Partial<HostV2CreateInput> {
  /** Whether the host has a static address, like a lighthouse or relay. */
  isStatic?: boolean;
  /** Command that runs the agent; default: the built agent. */
  agent?: OverlayHostOptions["agent"];
  /** Path of the nebula to run; default: the test network's version. */
  nebula?: string;
  codeLifetimeSeconds?: number;
}

export const UNDERLAY_PORT = 4242;

export interface NetworkOptions {
  /** Properties of the network; default: curve 25519, version 1 certificates and a free IPv4 range. */
  body?: Partial<Input<typeof createNetworkV2>["body"]>;
  /** Default: IPv4. */
  underlay?: Family;
}

export interface TestServer {
  url: string;
  dataDir: string;
}

interface OwnServer {
  process: ServerProcess;
  port: number;
  removeData: () => void;
}

export class TestNetwork {
  readonly underlay: Underlay;
  readonly proxy: ControlPlaneProxy;
  readonly account: Account;
  readonly network: NetworkV2;
  readonly nebula: string;
  readonly hosts: OverlayHost[] = [];
  readonly server: TestServer;
  private readonly own: OwnServer | undefined;

  private constructor(parts: {
    underlay: Underlay;
    proxy: ControlPlaneProxy;
    account: Account;
    network: NetworkV2;
    nebula: string;
    server: TestServer;
    own?: OwnServer;
  }) {
    this.underlay = parts.underlay;
    this.proxy = parts.proxy;
    this.account = parts.account;
    this.network = parts.network;
    this.nebula = parts.nebula;
    this.server = parts.server;
    this.own = parts.own;
  }

  /** On a server of its own, which can be stopped and restarted. */
  static async createWithServer(version: NebulaVersion, options: NetworkOptions = {}): Promise<TestNetwork> {
    const port = await freePort();
    const { dataDir, remove } = temporaryDataDir();
    const process = await startServer({ dataDir, port });
    const own = { process, port, removeData: remove };
    return TestNetwork.create(version, { url: process.url, dataDir }, { ...options, own });
  }

  static async create(
    version: NebulaVersion,
    server: TestServer,
    { body = {}, underlay: family, own }: NetworkOptions & { own?: OwnServer } = {},
  ): Promise<TestNetwork> {
    const account = await createAccount(server);
    const network = await account.call(createNetworkV2, { body: { name: "overlay", ...body } });
    const underlay = await Underlay.create(family);
    const proxy = await ControlPlaneProxy.create(underlay.gateway, () => server.url);
    const nebula = await findNebula(version);
    return new TestNetwork({ underlay, proxy, account, network, nebula, server, ...(own && { own }) });
  }

  get call(): Client {
    return this.account.call;
  }

  /** Creates a host on its own machine and enrolls it, without starting it. */
  async addHost(name: string, options: HostOptions = {}): Promise<OverlayHost> {
    const { host, code } = await this.createHost(name, options);
    await host.enroll(code);
    return host;
  }

  /** Creates a host on its own machine with an address of each family, without enrolling it. */
  async createHost(
    name: string,
    { isStatic = false, nebula = this.nebula, agent = findBuiltAgent(), ...options }: HostOptions = {},
  ): Promise<{ host: OverlayHost; code: string }> {
    const machine = await this.underlay.createMachine(name);
    const address = isIPv6(machine.address) ? `[${machine.address}]` : machine.address;
    const reachable = { staticAddresses: [`${address}:${UNDERLAY_PORT}`], listenPort: UNDERLAY_PORT };
    const { id: networkID, cidrs: ipAddresses } = this.network;
    const body = { name, networkID, ipAddresses, ...(isStatic && reachable), ...options };
    const { host, enrollmentCode } = await this.call(createHostAndEnrollmentCodeV2, { body });
    const overlayHost = new OverlayHost({
      machine,
      agent,
      nebula,
      server: this.proxy.url,
      id: host.id,
      addresses: host.ipAddresses,
    });
    this.hosts.push(overlayHost);
    return { host: overlayHost, code: enrollmentCode.code };
  }

  /** Starts all hosts and waits until they reach the lighthouse. */
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

  get ownServer(): OwnServer {
    if (!this.own) throw new Error("The server is shared. Use createWithServer.");
    return this.own;
  }

  async killServer(): Promise<void> {
    await this.ownServer.process.kill();
  }

  async startServer(environment: Record<string, string> = {}): Promise<void> {
    const { port } = this.ownServer;
    this.ownServer.process = await startServer({ dataDir: this.server.dataDir, port, environment });
  }

  async remove(): Promise<void> {
    for (const host of this.hosts) await host.stop("SIGKILL");
    await this.underlay.remove();
    for (const host of this.hosts) host.remove();
    await this.proxy.remove();
    await this.own?.process.stop();
    this.own?.removeData();
  }
}

let binaries: ReturnType<typeof nebulaBinaries> | undefined;
/** Asks each program for its version only once. */
export const findNebulaBinaries = () => (binaries ??= nebulaBinaries());

/** Found by position, because the newest package may have a later version. */
export async function findNebula(version: NebulaVersion): Promise<string> {
  const binary = (await findNebulaBinaries())[nebulaVersions.indexOf(version)];
  if (!binary) throw new Error(`nebula ${version} isn't installed.`);
  return binary.nebula;
}

/** The command that runs the built agent as it's installed on hosts with Node.js. */
export function findBuiltAgent(): [program: string, ...args: string[]] {
  const bundle = readdirSync(AGENT_FOLDER).find((name) => name.endsWith(".mjs"));
  if (bundle === undefined) throw new Error("The agent isn't built. Run: node scripts/prepare.mjs");
  return [process.execPath, ...nodeFlagsOf(process.versions.node), join(AGENT_FOLDER, bundle)];
}
