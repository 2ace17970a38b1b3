/** Machines that run nebula with the configurations that the control plane would send, without agents. */
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "@lightkeeper/contract/durations";
import { encodePem, parseCidr, parseIpPrefix, renderConfig } from "@lightkeeper/nebula";
import type { AccessHost } from "@lightkeeper/nebula/access";
import { type CertificateAuthority, createCa, createSigner } from "@lightkeeper/nebula/signing";
import { type DesiredState, desiredState, type Snapshot } from "@lightkeeper/server/testing";
import { untilUp } from "../copied-identity.ts";
import { Probe } from "../probe.ts";
import { UNDERLAY_PORT } from "../test-network.ts";
import { type Machine, Underlay } from "../underlay.ts";
import { IPV6_LAN_ADDRESSES, LAN_ADDRESSES, PORTS, type RandomNetwork } from "./random-network.ts";

const KEY_LENGTH = 32;
const ROUTER_INDEX = 1;
const IPV6_ROUTER = "fd55::1";
const validity = { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + DAY_MS) };

export class NebulaMachines {
  /** In the order of the network's hosts; the first is the lighthouse. */
  readonly probes: readonly Probe[];
  private readonly underlay: Underlay;
  private readonly machines: readonly Machine[];
  private readonly folder = mkdtempSync(join(tmpdir(), "lightkeeper-access-"));
  private readonly cas = { 1: createCas(1), 2: createCas(2) };
  private running: ChildProcess[] = [];

  private constructor(underlay: Underlay, machines: readonly Machine[], probes: readonly Probe[]) {
    this.underlay = underlay;
    this.machines = machines;
    this.probes = probes;
  }

  static async create(count: number): Promise<NebulaMachines> {
    const underlay = await Underlay.create();
    const machines: Machine[] = [];
    for (let number = 1; number <= count; number++)
      machines.push(await underlay.createMachine(`host-${number}`));
    const lan = await underlay.createMachineBehind(machines[ROUTER_INDEX]!, "lan");
    for (const address of LAN_ADDRESSES.slice(1)) await lan.ip("addr", "add", `${address}/24`, "dev", "eth0");
    await connectIpv6(machines[ROUTER_INDEX]!, lan);
    const probes = machines.map((machine) => new Probe(machine));
    const behindRouter = new Probe(lan);
    const serve = (probe: Probe, address: string) =>
      PORTS.flatMap((port) => [probe.serve("tcp", port, address), probe.serve("udp", port, address)]);
    await Promise.all([
      ...probes.flatMap((probe) => ["0.0.0.0", "::"].flatMap((address) => serve(probe, address))),
      ...[...LAN_ADDRESSES, ...IPV6_LAN_ADDRESSES].flatMap((address) => serve(behindRouter, address)),
    ]);
    return new NebulaMachines(underlay, machines, probes);
  }

  /** Runs the network, and returns when every interface is up. */
  async start(network: RandomNetwork, nebula: string): Promise<void> {
    const keys = network.hosts.map(() => generateHostKey());
    const unblocked = this.snapshotOf(network, []);
    const states = network.hosts.map((host) =>
      desiredState(unblocked, this.compiledHost(host), host.nebulaVersion),
    );
    const certificates = network.hosts.map((host, index) =>
      this.issue(network, host, states[index]!, keys[index]!.publicKey),
    );
    const blocklist = certificates.flatMap(({ fingerprint }, index) =>
      network.hosts[index]!.isBlocked ? [fingerprint] : [],
    );
    const snapshot = this.snapshotOf(network, blocklist);
    await Promise.all(
      network.hosts.map(async (host, index) => {
        const { input } = desiredState(snapshot, this.compiledHost(host), host.nebulaVersion);
        const keyPath = join(this.folder, `${host.name}.key`);
        writeFileSync(keyPath, encodePem("NEBULA X25519 PRIVATE KEY", keys[index]!.privateKey), {
          mode: 0o600,
        });
        const trustedCas = [...input.trustedCas, this.caOf(network, host).certificatePem];
        const certificate = certificates[index]!.pem;
        const { yaml } = renderConfig({ ...input, trustedCas, certificate, keyPath });
        await this.startNebula(this.machines[index]!, nebula, join(this.folder, `${host.name}.yml`), yaml);
      }),
    );
  }

  async stop(): Promise<void> {
    const stopped = this.running.map(async (child) => {
      const exited = once(child, "exit");
      if (child.exitCode === null && child.kill("SIGKILL")) await exited;
    });
    await Promise.all(stopped);
    this.running = [];
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.underlay.remove();
    rmSync(this.folder, { recursive: true });
  }

  private async startNebula(machine: Machine, nebula: string, path: string, yaml: string): Promise<void> {
    writeFileSync(path, yaml);
    const child = machine.spawn(nebula, ["-config", path]);
    this.running.push(child);
    await untilUp(child);
  }

  private caOf({ certVersion }: RandomNetwork, host: AccessHost): CertificateAuthority {
    return this.cas[certVersion].get(host.certificate!.caID)!;
  }

  private issue(network: RandomNetwork, host: AccessHost, { identity }: DesiredState, publicKey: Uint8Array) {
    const ca = this.caOf(network, host);
    const signer = createSigner(ca.privateKey);
    const { name, groups, unsafeNetworks } = identity;
    const common = { name, groups, ...validity, publicKey, isCa: false, issuer: ca.fingerprint };
    const networks = identity.addresses.map(
      (address, index) => `${address}/${identity.cidrs[index]!.split("/")[1]}`,
    );
    const read = <Prefix>(parse: (text: string) => Prefix | undefined) => ({
      networks: networks.map((text) => parse(text)!),
      unsafeNetworks: unsafeNetworks.map((text) => parse(text)!),
    });
    return network.certVersion === 2
      ? signer.issueV2({ ...common, ...read(parseIpPrefix) })
      : signer.issueV1({ ...common, ...read(parseCidr) });
  }

  private compiledHost(host: AccessHost) {
    const isLighthouse = host.id === "host-1";
    return {
      id: host.id,
      name: host.name,
      addresses: [...host.addresses],
      roleID: host.roleID,
      tags: [...host.tags],
      staticAddresses: isLighthouse ? this.lighthouseAddresses() : [],
      listenPort: isLighthouse ? UNDERLAY_PORT : 0,
      isLighthouse,
      isRelay: false,
      configOverrides: [],
    };
  }

  private lighthouseAddresses(): string[] {
    return [`${this.machines[0]!.address}:${UNDERLAY_PORT}`];
  }

  private snapshotOf(network: RandomNetwork, blocklist: string[]): Snapshot {
    const { certVersion, cidrs, roles, tags, routes, hosts } = network;
    const addressesOf = (hostID: string) => [...hosts.find(({ id }) => id === hostID)!.addresses];
    const ca = this.cas[certVersion].get("ca-1")!;
    return {
      networkID: "network-1",
      organizationID: "org-1",
      organizationName: "example.com",
      networkName: "overlay",
      cidrs: [...cidrs],
      curve: "25519",
      certVersion,
      upgrade: null,
      revision: 1,
      day: 1,
      lighthousesAsRelays: false,
      trustedCas: [ca.certificatePem],
      issuer: { id: "ca-1", fingerprint: ca.fingerprint, certVersion, ...validity },
      lighthouses: [{ addresses: addressesOf("host-1"), staticAddresses: this.lighthouseAddresses() }],
      relays: [],
      blocklist,
      otherBlocklist: [],
      roles,
      tags: new Map([...tags].map(([name, tag]) => [name, { priority: 1, configOverrides: [], ...tag }])),
      routes: routes.map((route) => ({ ...route, routerAddresses: addressesOf(route.routerHostID) })),
    };
  }
}

const createCas = (certificateVersion: 1 | 2) =>
  new Map(["ca-1", "ca-2"].map((id) => [id, createCa({ name: id, certificateVersion, ...validity })]));

/** Adds IPv6 addresses to a router and the machine behind it. */
async function connectIpv6(router: Machine, lan: Machine): Promise<void> {
  // Without a check for duplicates, which takes seconds.
  const add = (machine: Machine, address: string, device: string) =>
    machine.ip("addr", "add", `${address}/64`, "dev", device, "nodad");
  await add(router, IPV6_ROUTER, "lan0");
  for (const address of IPV6_LAN_ADDRESSES) await add(lan, address, "eth0");
  await lan.ip("-6", "route", "add", "default", "via", IPV6_ROUTER);
  await router.run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
}

/** DER ends with the key. Exporting new keys as JWK can deadlock Node 20. */
function generateHostKey(): { publicKey: Uint8Array; privateKey: Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync("x25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  return {
    publicKey: new Uint8Array(publicKey.subarray(-KEY_LENGTH)),
    privateKey: new Uint8Array(privateKey.subarray(-KEY_LENGTH)),
  };
}
