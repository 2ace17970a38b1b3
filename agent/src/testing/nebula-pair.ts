/** A lighthouse and a host that run the real nebula on loopback, without a tunnel device. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigInput } from "@lightkeeper/nebula";
import type { ReportedTunnel } from "@lightkeeper/contract/agent";
import type { NebulaBinaries } from "../../../scripts/nebula-versions.d.mts";
import { createNebulaKeys } from "../keys.ts";
import type { KeyPair } from "../keys.ts";
import { Nebula } from "../nebula.ts";
import { NebulaLog } from "../nebula-log.ts";
import { StateDirectory } from "../state.ts";
import type { Setup } from "../state.ts";
import { listTunnels } from "../tunnels.ts";
import { ADDRESS, configFor } from "./test-network.ts";
import type { TestNetwork } from "./test-network.ts";

export const LIGHTHOUSE = "100.100.0.1";
const TUNNEL_SECONDS_MAX = 60;

/** Issues the certificates of a host: its key, its name and its IPv4 address. */
export type Issue = (publicKey: string, name: string, address: string) => string;

export async function findFreePort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}

export class NebulaPair {
  readonly root = mkdtempSync(join(tmpdir(), "lk-pair-"));
  readonly state = new StateDirectory(join(this.root, "host"));
  readonly changes: string[] = [];
  readonly lighthouse: Nebula;
  readonly host: Nebula;
  readonly log: NebulaLog;
  readonly keys: KeyPair;
  readonly port: number;
  private readonly network: TestNetwork;
  private readonly binaries: Pick<NebulaBinaries, "version" | "nebula">;
  private readonly issue: Issue;

  private constructor(parts: {
    network: TestNetwork;
    binaries: Pick<NebulaBinaries, "version" | "nebula">;
    port: number;
    issue: Issue;
  }) {
    ({ network: this.network, binaries: this.binaries, port: this.port, issue: this.issue } = parts);
    this.keys = createNebulaKeys(this.network.curve);
    ({ nebula: this.lighthouse } = this.open(new StateDirectory(join(this.root, "lighthouse"))));
    ({ nebula: this.host, log: this.log } = this.open(this.state));
  }

  static async start(
    binaries: Pick<NebulaBinaries, "version" | "nebula">,
    network: TestNetwork,
    issue: Issue = (publicKey, name, address) => network.issue(publicKey, { name, address }),
  ): Promise<NebulaPair> {
    const pair = new NebulaPair({ network, binaries, port: await findFreePort(), issue });
    await pair.lighthouse.apply(pair.lighthouseSetup());
    await pair.host.apply(pair.setup());
    return pair;
  }

  open(state: StateDirectory): { nebula: Nebula; log: NebulaLog } {
    const { version, nebula: path } = this.binaries;
    state.prepare();
    const log = new NebulaLog(state.path("nebula.log"));
    const onChange = (message: string) => this.changes.push(message);
    return { nebula: new Nebula({ path, version, state, log, onChange }), log };
  }

  /** Of the host. */
  setup(
    changes: Partial<ConfigInput> = {},
    certificate = this.issue(this.keys.publicKey, "web-1", ADDRESS),
  ): Setup {
    return this.complete(changes, this.keys, certificate);
  }

  private lighthouseSetup(): Setup {
    const keys = createNebulaKeys(this.network.curve);
    const self = { addresses: [LIGHTHOUSE], staticAddresses: [`127.0.0.1:${this.port}`] };
    const host = { ...self, listenPort: this.port, isLighthouse: true, isRelay: false, configOverrides: [] };
    return this.complete({ host }, keys, this.issue(keys.publicKey, "lighthouse", LIGHTHOUSE));
  }

  private complete(changes: Partial<ConfigInput>, keys: KeyPair, certificate: string): Setup {
    const lighthouses = [{ addresses: [LIGHTHOUSE], staticAddresses: [`127.0.0.1:${this.port}`] }];
    const nebulaVersion = this.binaries.version;
    const config = configFor(this.network, undefined, { nebulaVersion, lighthouses, ...changes });
    return { config, certificate, nebulaKey: keys.privateKey };
  }

  /** Waits until the host has a tunnel. */
  async waitForTunnel(host = this.host): Promise<ReportedTunnel[]> {
    const deadline = Date.now() + TUNNEL_SECONDS_MAX * 1000;
    for (;;) {
      const tunnels = await listTunnels(host).catch(() => []);
      if (tunnels.length > 0) return tunnels;
      if (Date.now() > deadline) throw new Error("The host has no tunnel.");
      await sleep(100);
    }
  }

  async remove(): Promise<void> {
    await this.host.stop();
    await this.lighthouse.stop();
    this.log.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}
