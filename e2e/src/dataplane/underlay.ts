/**
 * The underlay network: a bridge, machines in their own network namespaces that are connected to it, and an uplink to
 * the tests' namespace, over which machines reach the control plane. `remove` removes everything.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { sh } from "./shell.ts";

export type Family = "IPv4" | "IPv6";

/** The first three numbers of a /24, or the first four groups of a /64. */
type Prefix = string;

const joinAddress = (prefix: Prefix, last: number) =>
  prefix.includes(":") ? `${prefix}::${last.toString(16)}` : `${prefix}.${last}`;

/** `nodad`: an address is usable immediately. */
const assignment = (prefix: Prefix, last: number) =>
  prefix.includes(":") ? [`${joinAddress(prefix, last)}/64`, "nodad"] : [`${joinAddress(prefix, last)}/24`];

const GATEWAY = 254;

export class Underlay {
  /** The address of the tests' namespace, as seen from the machines. */
  readonly gateway: string;
  private readonly tag: string;
  private readonly prefix: Prefix;
  private readonly machines: Machine[] = [];
  private machineCount = 0;

  private constructor(tag: string, prefix: Prefix) {
    this.tag = tag;
    this.prefix = prefix;
    this.gateway = joinAddress(prefix, GATEWAY);
  }

  /** Machines have addresses of this family only. */
  static async create(family: Family = "IPv4"): Promise<Underlay> {
    const tag = `lk${randomBytes(3).toString("hex")}`;
    try {
      return new Underlay(tag, await createBridge(`${tag}-switch`, family));
    } catch (error) {
      await removeNamespace(`${tag}-switch`);
      throw error;
    }
  }

  async createMachine(name: string): Promise<Machine> {
    const namespace = `${this.tag}-${name}`;
    const number = (this.machineCount += 1);
    const machine = new Machine(name, namespace, [joinAddress(this.prefix, number)]);
    await this.addMachine(machine);
    await connectPort(`${this.tag}-switch`, `p${number}`, ["name", "eth0", "netns", namespace]);
    await machine.ip("addr", "add", ...assignment(this.prefix, number), "dev", "eth0");
    for (const device of ["lo", "eth0"]) await machine.ip("link", "set", device, "up");
    return machine;
  }

  /** Creates a machine in subnets behind a router, which is its default gateway. */
  async createMachineBehind(router: Machine, name: string, ...subnets: Prefix[]): Promise<Machine> {
    const prefixes = subnets.length > 0 ? subnets : ["192.168.55"];
    const namespace = `${this.tag}-${name}`;
    const machine = new Machine(
      name,
      namespace,
      prefixes.map((prefix) => joinAddress(prefix, 2)),
    );
    await this.addMachine(machine);
    await router.ip("link", "add", "lan0", "type", "veth", "peer", "name", "eth0", "netns", namespace);
    await router.ip("link", "set", "lan0", "up");
    for (const device of ["lo", "eth0"]) await machine.ip("link", "set", device, "up");
    for (const prefix of prefixes) {
      await router.ip("addr", "add", ...assignment(prefix, 1), "dev", "lan0");
      await machine.ip("addr", "add", ...assignment(prefix, 2), "dev", "eth0");
      await machine.ip("route", "add", "default", "via", joinAddress(prefix, 1));
    }
    await router.run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
    return machine;
  }

  async remove(): Promise<void> {
    for (const machine of this.machines) await machine.remove();
    await removeNamespace(`${this.tag}-switch`);
  }

  /** The list has the machine before its namespace exists: a command that is ended may have created it. */
  private async addMachine(machine: Machine): Promise<void> {
    this.machines.push(machine);
    await sh("ip", "netns", "add", machine.namespace);
  }
}

/** Returns the prefix of the machines' addresses. */
async function createBridge(namespace: string, family: Family): Promise<Prefix> {
  await sh("ip", "netns", "add", namespace);
  await sh("ip", "-n", namespace, "link", "add", "br0", "type", "bridge");
  await sh("ip", "-n", namespace, "link", "set", "br0", "up");
  const { slot, uplink } = await connectUplink(namespace);
  const prefix = family === "IPv6" ? `fd00:172:31:${slot}` : `172.31.${slot}`;
  await sh("ip", "addr", "add", ...assignment(prefix, GATEWAY), "dev", uplink);
  await sh("ip", "link", "set", uplink, "up");
  return prefix;
}

const isNamespace = (name: string) => existsSync(join("/run/netns", name));

/** Does nothing if the namespace was never created. */
async function removeNamespace(name: string): Promise<void> {
  if (isNamespace(name)) await sh("ip", "netns", "del", name);
}

async function connectPort(bridgeNamespace: string, port: string, peer: string[]): Promise<void> {
  await sh("ip", "link", "add", port, "netns", bridgeNamespace, "type", "veth", "peer", ...peer);
  await sh("ip", "-n", bridgeNamespace, "link", "set", port, "master", "br0");
  await sh("ip", "-n", bridgeNamespace, "link", "set", port, "up");
}

/** Creating the device reserves its name and addresses, so that parallel runs never share them. */
async function connectUplink(bridgeNamespace: string): Promise<{ slot: number; uplink: string }> {
  for (let slot = 1; slot < 250; slot += 1) {
    const uplink = `lk-uplink-${slot}`;
    if (networkInterfaces()[uplink] !== undefined) continue;
    const isCreated = await connectPort(bridgeNamespace, "p0", ["name", uplink]).then(
      () => true,
      () => false,
    );
    if (isCreated) return { slot, uplink };
  }
  throw new Error("Too many underlays on this machine.");
}

export class Machine {
  readonly name: string;
  readonly namespace: string;
  /** Outside the overlay; behind a router, one for each subnet. */
  readonly addresses: readonly string[];
  private readonly children = new Set<ChildProcess>();

  constructor(name: string, namespace: string, addresses: readonly string[]) {
    this.name = name;
    this.namespace = namespace;
    this.addresses = addresses;
  }

  /** The first address. */
  get address(): string {
    return this.addresses[0] ?? "";
  }

  ip(...args: string[]): Promise<string> {
    return sh("ip", "-n", this.namespace, ...args);
  }

  run(command: string, ...args: string[]): Promise<string> {
    return sh("ip", "netns", "exec", this.namespace, command, ...args);
  }

  /** The process is killed when the machine is removed. */
  spawn(command: string, args: string[], environment: Record<string, string> = {}): ChildProcess {
    const child = spawn("ip", ["netns", "exec", this.namespace, command, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...environment },
    });
    this.children.add(child);
    child.once("exit", () => this.children.delete(child));
    return child;
  }

  /** Drops all underlay traffic between the two machines. */
  async blockTraffic(other: Machine): Promise<void> {
    const family = isIPv6(other.address) ? "ip6" : "ip";
    const rules = [
      "add table inet cut",
      "add chain inet cut in { type filter hook input priority 0; }",
      "add chain inet cut out { type filter hook output priority 0; }",
      `add rule inet cut in ${family} saddr ${other.address} drop`,
      `add rule inet cut out ${family} daddr ${other.address} drop`,
    ];
    await this.run("nft", rules.join("; "));
  }

  async restoreTraffic(): Promise<void> {
    await this.run("nft", "delete table inet cut");
  }

  /** Received and sent bytes of a device. */
  async traffic(device: string): Promise<{ received: number; sent: number }> {
    const [link] = JSON.parse(await this.ip("-s", "-j", "link", "show", device)) as {
      stats64: { rx: { bytes: number }; tx: { bytes: number } };
    }[];
    return { received: link?.stats64.rx.bytes ?? 0, sent: link?.stats64.tx.bytes ?? 0 };
  }

  async pids(): Promise<number[]> {
    const pids = await sh("ip", "netns", "pids", this.namespace);
    return pids.split("\n").filter(Boolean).map(Number);
  }

  async remove(): Promise<void> {
    if (isNamespace(this.namespace)) for (const pid of await this.pids()) kill(pid);
    for (const child of this.children) child.kill("SIGKILL");
    await removeNamespace(this.namespace);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already exited.
  }
}
