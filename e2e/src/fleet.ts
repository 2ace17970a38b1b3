/** Creates a typical organization: networks, roles, tags, a route and all kinds of hosts. */
import {
  type Client,
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  type HostV2,
  type Network,
  type Role,
  type Route,
} from "@lightkeeper/contract";

export interface Fleet {
  harbour: Network;
  lagoon: Network;
  /** Accepts pings, and SSH from pilots with a tag. */
  ferry: Role;
  /** Used in a rule of `ferry`. */
  pilot: Role;
  /** Lowest priority first. */
  tags: readonly string[];
  route: Route;
  lighthouse: HostV2;
  relay: HostV2;
  /** Serves the route. */
  router: HostV2;
  /** Plain hosts of the first network, by name: boat-01, boat-02 … */
  boats: HostV2[];
}

const TAGS = ["pier:east", "pier:west", "crew:night"] as const;

async function createAccess(call: Client) {
  for (const name of TAGS)
    await call(createTag, {
      body: {
        name,
        description: `Boats of ${name}`,
        ...(name === "crew:night" && { configOverrides: [{ key: "logging.level", value: "debug" }] }),
      },
    });
  const pilot = await call(createRole, { body: { name: "Pilot", description: "Leads ships in" } });
  const ferry = await call(createRole, {
    body: {
      name: "Ferry",
      description: "Carries people and cars",
      firewallRules: [
        { protocol: "ICMP" as const, description: "Is it there?" },
        {
          protocol: "TCP" as const,
          portRange: { from: 22, to: 22 },
          allowedRoleID: pilot.id,
          allowedTags: ["pier:east"],
        },
      ],
    },
  });
  return { pilot, ferry };
}

export async function createFleet(call: Client, { boats: count = 3 } = {}): Promise<Fleet> {
  const harbour = await call(createNetwork, { body: { name: "Harbour" } });
  const lagoon = await call(createNetwork, { body: { name: "Lagoon" } });
  const { pilot, ferry } = await createAccess(call);
  const add = (name: string, more: object = {}) =>
    call(createHostV2, { body: { name, networkID: harbour.id, ...more } });
  const reachable = (port: number) => ({
    staticAddresses: [`203.0.113.7:${port}`, "harbour.example.com:4242"],
    listenPort: port,
  });
  const lighthouse = await add("beacon", { isLighthouse: true, ...reachable(4242) });
  const relay = await add("buoy", { isRelay: true, ...reachable(4243) });
  const router = await add("lock-gate", { roleID: ferry.id });
  const boats: HostV2[] = [];
  for (let number = 1; number <= count; number++) {
    const isFirst = number === 1;
    boats.push(
      await add(`boat-${String(number).padStart(2, "0")}`, {
        roleID: ferry.id,
        tags: isFirst ? [...TAGS] : ["pier:east"],
      }),
    );
  }
  const route = await call(createRoute, {
    body: {
      name: "Canal",
      description: "The old docks, which run no agent",
      routerHostID: router.id,
      routableCIDRs: { "192.168.50.0/24": { install: true } },
      firewallRules: [{ protocol: "ICMP" as const }],
    },
  });
  return { harbour, lagoon, ferry, pilot, tags: TAGS, route, lighthouse, relay, router, boats };
}
