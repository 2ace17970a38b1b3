/** A network with hosts for every kind of path: direct, through a relay, and to subnets behind a router. */
import { createRole, createRoute, createTag, type FirewallRule } from "@lightkeeper/contract";
import { CopiedIdentity } from "./copied-identity.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { Probe } from "./probe.ts";
import {
  type HostOptions,
  type NebulaVersion,
  type NetworkOptions,
  TestNetwork,
  type TestServer,
} from "./test-network.ts";
import type { Machine } from "./underlay.ts";

export interface NetworkKind {
  name: string;
  version: NebulaVersion;
  body: NonNullable<NetworkOptions["body"]>;
}

/** A subnet behind the router with two addresses of the same machine. */
interface Subnet {
  cidr: string;
  printer: string;
  camera: string;
  /** The printer's address as a CIDR. */
  printerOnly: string;
}

export interface FamilyNetwork {
  testNetwork: TestNetwork;
  /** Allows pings from any host, and OPEN from hosts with the role client. */
  serverRoleID: string;
  /** Has no rules. */
  clientRoleID: string;
  /** Has the role server, like all hosts but the client. */
  lighthouse: OverlayHost;
  relay: OverlayHost;
  /** Also the router of the subnets. */
  server: OverlayHost;
  /** Has the role client, and the route to the subnets. */
  client: OverlayHost;
  /** Reaches the client only through the relay. */
  distant: OverlayHost;
  copyOfDistant: CopiedIdentity;
  /** One of each family that the hosts have. The rules of their route allow TCP to OPEN of each printer. */
  subnets: Subnet[];
}

export const [OPEN, SHUT] = [8080, 9090];
export const ANY_ADDRESS = ["0.0.0.0", "::"];
const SUBSCRIBED = "reach:lan";

const SUBNETS = [
  { prefix: "192.168.55", separator: ".", prefixLength: 24, addressLength: 32 },
  { prefix: "fd00:192:168:55", separator: "::", prefixLength: 64, addressLength: 128 },
];

type Rule = Partial<FirewallRule> & Pick<FirewallRule, "protocol">;
export const serverRules = (clientRoleID: string, ...ports: number[]): Rule[] => [
  { protocol: "ICMP" },
  ...ports.flatMap((port) =>
    (["TCP", "UDP"] as const).map((protocol) => ({
      protocol,
      portRange: { from: port, to: port },
      allowedRoleID: clientRoleID,
    })),
  ),
];

export async function createFamilyNetwork(
  { version, body }: NetworkKind,
  testServer: TestServer,
): Promise<FamilyNetwork> {
  const testNetwork = await TestNetwork.create(version, testServer, { body });
  const addRole = async (name: string, firewallRules: Rule[]) =>
    (await testNetwork.call(createRole, { body: { name, firewallRules } })).id;
  const clientRoleID = await addRole("client", []);
  const serverRoleID = await addRole("server", serverRules(clientRoleID, OPEN));
  const server = await testNetwork.createHost("server", { roleID: serverRoleID });
  const subnets = await createSubnets(testNetwork, server.host.machine);
  await addRoute(testNetwork, server.host, subnets);
  const add = (name: string, options: HostOptions = {}) =>
    testNetwork.addHost(name, { roleID: serverRoleID, ...options });
  const [lighthouse, relay, client, distant] = await Promise.all([
    add("lighthouse", { isLighthouse: true, isStatic: true }),
    add("relay", { isRelay: true, isStatic: true }),
    add("client", { roleID: clientRoleID, tags: [SUBSCRIBED] }),
    add("distant"),
    server.host.enroll(server.code),
  ]);
  await distant.machine.blockTraffic(client.machine);
  await testNetwork.startHosts(lighthouse);
  for (const { probe } of [server.host, relay, client]) await serveAll(probe, ANY_ADDRESS);
  const hosts = { lighthouse, relay, server: server.host, client, distant };
  const copyOfDistant = new CopiedIdentity(distant);
  return { testNetwork, serverRoleID, clientRoleID, ...hosts, copyOfDistant, subnets };
}

async function addRoute({ call }: TestNetwork, router: OverlayHost, subnets: Subnet[]): Promise<void> {
  const { id } = await call(createRoute, {
    body: {
      name: "office",
      routerHostID: router.id,
      routableCIDRs: Object.fromEntries(subnets.map(({ cidr }) => [cidr, { install: true }])),
      firewallRules: subnets.map(({ printerOnly: localCIDR }) => ({
        protocol: "TCP" as const,
        portRange: { from: OPEN, to: OPEN },
        localCIDR,
      })),
    },
  });
  await call(createTag, { body: { name: SUBSCRIBED, routeSubscriptions: [id] } });
}

async function createSubnets({ network, underlay }: TestNetwork, router: Machine): Promise<Subnet[]> {
  const used = SUBNETS.filter(({ separator }) =>
    network.cidrs.some((cidr) => cidr.includes("::") === (separator === "::")),
  );
  const lan = await underlay.createMachineBehind(router, "lan", ...used.map(({ prefix }) => prefix));
  const probe = new Probe(lan);
  const subnets = used.map(({ prefix, separator, prefixLength, addressLength }) => ({
    cidr: `${prefix}${separator === "." ? ".0" : "::"}/${prefixLength}`,
    printer: `${prefix}${separator}2`,
    camera: `${prefix}${separator}3`,
    printerOnly: `${prefix}${separator}2/${addressLength}`,
  }));
  for (const { printer, camera } of subnets) {
    const isIpv6 = camera.includes(":");
    await lan.ip("addr", "add", `${camera}/${isIpv6 ? 64 : 24}`, "dev", "eth0", ...(isIpv6 ? ["nodad"] : []));
    await serveAll(probe, [printer, camera]);
  }
  return subnets;
}

async function serveAll(probe: Probe, addresses: readonly string[]): Promise<void> {
  for (const address of addresses)
    for (const port of [OPEN, SHUT])
      for (const protocol of ["tcp", "udp"] as const) await probe.serve(protocol, port, address);
}
