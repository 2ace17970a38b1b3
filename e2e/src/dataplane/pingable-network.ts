/** A test network whose hosts have a role that allows pings, with a running lighthouse. */
import { createRole, updateRole } from "@lightkeeper/contract";
import type { OverlayHost } from "./overlay-host.ts";
import { type NebulaVersion, type NetworkOptions, TestNetwork, type TestServer } from "./test-network.ts";

const FIRST_PORT = 5000;

export class PingableNetwork {
  readonly testNetwork: TestNetwork;
  readonly roleID: string;
  readonly lighthouse: OverlayHost;
  /** Each change uses the next port, so that its effect is seen. */
  port = FIRST_PORT;

  private constructor(testNetwork: TestNetwork, roleID: string, lighthouse: OverlayHost) {
    this.testNetwork = testNetwork;
    this.roleID = roleID;
    this.lighthouse = lighthouse;
  }

  static async create(
    version: NebulaVersion,
    server: TestServer,
    options: NetworkOptions = {},
  ): Promise<PingableNetwork> {
    return PingableNetwork.createIn(await TestNetwork.create(version, server, options));
  }

  static async createWithServer(version: NebulaVersion): Promise<PingableNetwork> {
    return PingableNetwork.createIn(await TestNetwork.createWithServer(version));
  }

  private static async createIn(testNetwork: TestNetwork): Promise<PingableNetwork> {
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    const { id: roleID } = await testNetwork.call(createRole, { body });
    const lighthouse = await testNetwork.addHost("lighthouse", {
      isLighthouse: true,
      isStatic: true,
      roleID,
    });
    lighthouse.start();
    return new PingableNetwork(testNetwork, roleID, lighthouse);
  }

  /** Serves the next TCP port on the host and allows it, which causes a reload. */
  async openNextPort(host: OverlayHost): Promise<void> {
    this.port += 1;
    await host.probe.serve("tcp", this.port);
    const portRange = { from: this.port, to: this.port };
    const firewallRules = [{ protocol: "ICMP" as const }, { protocol: "TCP" as const, portRange }];
    await this.testNetwork.call(updateRole, { params: { roleID: this.roleID }, body: { firewallRules } });
  }

  /** Whether the lighthouse reaches the port that was opened last. */
  isOpen(host: OverlayHost): Promise<boolean> {
    return this.lighthouse.probe.reach("tcp", host.address, this.port);
  }
}
