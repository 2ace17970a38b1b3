/** The network of the lab: its roles, route and hosts, created through the API. */
import {
  type Client,
  createGuarantee,
  createHostAndEnrollmentCodeV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  listRoles,
  updateTag,
} from "@lightkeeper/contract";

export const LAN = "192.168.55";

export interface LabHost {
  name: string;
  role: "Lighthouse" | "Web server" | "Database" | "Laptop" | "Router";
  tags?: string[];
  is?: "lighthouse" | "relay" | "router";
}

export const LAB_HOSTS: readonly LabHost[] = [
  { name: "lighthouse-1", role: "Lighthouse", is: "lighthouse" },
  { name: "relay-1", role: "Lighthouse", is: "relay" },
  { name: "router-1", role: "Router", is: "router" },
  { name: "web-1", role: "Web server" },
  { name: "web-2", role: "Web server" },
  { name: "db-1", role: "Database" },
  { name: "laptop-1", role: "Laptop", tags: ["access:office"] },
  { name: "laptop-2", role: "Laptop" },
];

const ping = { protocol: "ICMP", description: "Ping from any host" } as const;
const tcp = (port: number, description: string, allowedRoleID: string | null = null) =>
  ({ protocol: "TCP", portRange: { from: port, to: port }, allowedRoleID, description }) as const;

export interface LabNetwork {
  networkID: string;
  roleIDs: Record<LabHost["role"], string>;
}

export async function createLabNetwork(call: Client): Promise<LabNetwork> {
  const { id: networkID } = await call(createNetwork, { body: { name: "Lab", cidr: "10.88.0.0/24" } });
  const { data } = await call(listRoles);
  const lighthouse = data.find(({ name }) => name === "Lighthouse")?.id ?? "";
  const addRole = async (name: string, firewallRules: (typeof ping | ReturnType<typeof tcp>)[]) =>
    (await call(createRole, { body: { name, firewallRules } })).id;
  const web = await addRole("Web server", [ping, tcp(80, "HTTP from any host")]);
  const database = await addRole("Database", [ping, tcp(5432, "Queries from web servers", web)]);
  const laptop = await addRole("Laptop", [ping]);
  const router = await addRole("Router", [ping]);
  await call(createTag, { body: { name: "access:office", description: "Access to the office network" } });
  return {
    networkID,
    roleIDs: {
      Lighthouse: lighthouse,
      "Web server": web,
      Database: database,
      Laptop: laptop,
      Router: router,
    },
  };
}

/** Returns the host's ID, overlay addresses and enrollment code. */
export async function addLabHost(
  call: Client,
  { networkID, roleIDs }: LabNetwork,
  { name, role, tags = [], is }: LabHost,
  underlayAddress: string,
) {
  const isReachable = is === "lighthouse" || is === "relay";
  const { host, enrollmentCode } = await call(createHostAndEnrollmentCodeV2, {
    body: {
      name,
      networkID,
      roleID: roleIDs[role],
      tags,
      isLighthouse: is === "lighthouse",
      isRelay: is === "relay",
      ...(isReachable && { staticAddresses: [`${underlayAddress}:4242`], listenPort: 4242 }),
    },
  });
  return { id: host.id, addresses: host.ipAddresses, code: enrollmentCode.code };
}

/** A route to the machine behind the router, for hosts with the tag, and a guarantee. */
export async function addRouteAndGuarantee(
  call: Client,
  { networkID, roleIDs }: LabNetwork,
  routerHostID: string,
): Promise<void> {
  const cidr = `${LAN}.0/24`;
  const rule = { protocol: "ANY" as const, allowedTags: ["access:office"], localCIDR: cidr };
  const route = await call(createRoute, {
    body: {
      name: "Office",
      description: "The machine behind router-1",
      routerHostID,
      routableCIDRs: { [cidr]: {} },
      firewallRules: [rule],
    },
  });
  await call(updateTag, {
    params: { tag: "access:office" },
    body: { description: "Access to the office network", routeSubscriptions: [route.id] },
  });
  await call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: { type: "role", id: roleIDs.Laptop },
      destination: { type: "role", id: roleIDs.Database },
      protocol: "TCP",
      portRange: { from: 5432, to: 5432 },
      networkID,
      description: "Laptops never query the database",
    },
  });
}
