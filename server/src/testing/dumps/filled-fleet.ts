/** Networks, roles, tags, routes and hosts, one of them enrolled. */
import { createHash } from "node:crypto";
import {
  blockHostV2,
  createEnrollmentCode,
  createHostV2,
  createNetwork,
  createNetworkV2,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  updateTag,
  upgradeNetwork,
} from "@lightkeeper/contract";
import type { Session, TestServer } from "../server.ts";
import { TestAgent } from "../test-agent.ts";
import type { StoredAgent } from "./dump-files.ts";

export interface FilledFleet {
  networkID: string;
  /** The network without hosts. */
  emptyNetworkID: string;
  roleID: string;
  hostID: string;
  routeID: string;
  agent: StoredAgent;
}

const createNetworks = async ({ call }: Session) => {
  const harbor = { name: "Harbor", description: "The quay", cidr: "10.77.0.0/24" };
  const { id: networkID } = await call(createNetwork, { body: harbor });
  const { id: emptyNetworkID } = await call(createNetwork, { body: { name: "Sea", cidr: "10.78.0.0/24" } });
  return { networkID, emptyNetworkID };
};

async function createRules({ call }: Session): Promise<string> {
  const pages = { protocol: "TCP", portRange: { from: 443, to: 443 }, description: "pages" } as const;
  const role = { name: "Web", description: "Serves pages", firewallRules: [pages] };
  const { id } = await call(createRole, { body: role });
  await call(createTag, { body: { name: "site:quay", description: "On the quay" } });
  await call(createTag, { body: { name: "site:sea" } });
  return id;
}

async function createHosts({ call }: Session, networkID: string, roleID: string) {
  const create = (name: string, settings: object = {}) =>
    call(createHostV2, { body: { name, networkID, ...settings } });
  await create("lighthouse-1", {
    isLighthouse: true,
    staticAddresses: ["192.0.2.1:4242"],
    listenPort: 4242,
  });
  const web = await create("Web 1", {
    roleID,
    tags: ["site:quay"],
    configOverrides: [{ key: "tun.mtu", value: 1280 }],
  });
  const router = await create("router", { tags: ["site:sea"] });
  const blocked = await create("blocked", { tags: ["site:quay", "site:sea"] });
  await call(blockHostV2, { params: { hostID: blocked.id } });
  const deleted = [await create("deleted-1"), await create("deleted-2"), await create("deleted-3")];
  await create("waiting");
  // Leaves three free addresses, of which the blocked host and the enrolled device get one each.
  for (const { id } of deleted) await call(deleteHost, { params: { hostID: id } });
  return { web, router };
}

async function createOfficeRoute({ call }: Session, routerHostID: string): Promise<string> {
  const body = { name: "Office", routerHostID, routableCIDRs: { "172.16.5.0/24": { install: true } } };
  const { id } = await call(createRoute, { body });
  await call(updateTag, { params: { tag: "site:quay" }, body: { routeSubscriptions: [id] } });
  return id;
}

/** Leaves a certificate that was replaced, and a report. */
async function enrollAgent(server: TestServer, owner: Session, hostID: string): Promise<TestAgent> {
  const agent = await TestAgent.enrollHost(server.url, owner, hostID);
  await agent.hasUpdate();
  await agent.update("DoUpdate");
  await agent.hasUpdate();
  const configHash = createHash("sha256").update(agent.state.config).digest("hex");
  await agent.report({ configHash, traffic: { receivedBytes: 1000, sentBytes: 2000 } });
  await server.app.presence.drain();
  return agent;
}

function storeAgent({ state }: TestAgent): StoredAgent {
  const { privateKey, publicPem } = state.hostKey;
  const privatePem = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  return { ...state, hostKey: { privatePem, publicPem } };
}

/** A block that the enrolled host has not acknowledged. */
async function blockEnrolledHost(server: TestServer, owner: Session, networkID: string): Promise<void> {
  const { id } = await owner.call(createHostV2, { body: { name: "stolen", networkID } });
  await TestAgent.enrollHost(server.url, owner, id);
  await owner.call(blockHostV2, { params: { hostID: id } });
}

const NEWEST_NEBULA = "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.11.0";

/** A network with version 2 certificates of curve P256, and one that is being upgraded to version 2. */
async function createVersion2Networks(server: TestServer, owner: Session): Promise<void> {
  const bay = { name: "Bay", certVersion: 2, curve: "P256", cidrs: ["10.79.0.0/24", "fd79::/64"] } as const;
  const { id: networkID } = await owner.call(createNetworkV2, { body: { ...bay, cidrs: [...bay.cidrs] } });
  const create = (name: string, ...ipAddresses: string[]) =>
    owner.call(createHostV2, { body: { name, networkID, ipAddresses } });
  const [released, host] = [await create("released"), await create("bay-1", "10.79.0.0/24")];
  await owner.call(deleteHost, { params: { hostID: released.id } });
  await TestAgent.enrollHost(server.url, owner, host.id, NEWEST_NEBULA);
  const pier = await owner.call(createNetwork, { body: { name: "Pier", cidr: "10.80.0.0/24" } });
  await owner.call(upgradeNetwork, { params: { networkID: pier.id }, body: { cidr: "fd80::/64" } });
}

export async function fillFleet(server: TestServer, owner: Session): Promise<FilledFleet> {
  const { networkID, emptyNetworkID } = await createNetworks(owner);
  const roleID = await createRules(owner);
  const { web, router } = await createHosts(owner, networkID, roleID);
  const routeID = await createOfficeRoute(owner, router.id);
  const agent = await enrollAgent(server, owner, web.id);
  await blockEnrolledHost(server, owner, networkID);
  await createVersion2Networks(server, owner);
  await owner.call(createEnrollmentCode, { params: { hostID: router.id } });
  return { networkID, emptyNetworkID, roleID, hostID: web.id, routeID, agent: storeAgent(agent) };
}
