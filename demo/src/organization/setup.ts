/** Creates the networks, roles, tags, routes and guarantees of the demo through the API. */
import {
  type Client,
  createApiKey,
  createGuarantee,
  createNetwork,
  createNotificationChannel,
  createNotificationRule,
  createRole,
  createRoute,
  createTag,
  confirmCheckout,
  listRoles,
  scopes,
  startCheckout,
  updateOrganization,
  updateRole,
  updateTag,
  whoami,
} from "@lightkeeper/contract";
import {
  type NetworkKey,
  NETWORKS,
  type RoleIDs,
  type RoleKey,
  ROLES,
  ROUTES,
  TAGS,
  toFirewallRule,
  toRouteRule,
} from "@lightkeeper/server/seeds";
import { DEBUG_TAG } from "./host-plan.ts";

const MINUTE_MS = 60_000;

export interface Setup {
  networkIDs: Record<NetworkKey, string>;
  roleIDs: RoleIDs & { lighthouse: string };
}

export async function setUpOrganization(call: Client, advance: (ms: number) => void): Promise<Setup> {
  const { organization } = await call(whoami);
  await call(updateOrganization, {
    params: { organizationID: organization.id },
    body: { name: "Harborline" },
  });
  await call(startCheckout);
  await call(confirmCheckout);
  const networkIDs = {} as Record<NetworkKey, string>;
  for (const { key, name, description, cidr, lighthousesAsRelays } of NETWORKS) {
    advance(MINUTE_MS);
    const body = { name, description, cidr, lighthousesAsRelays };
    networkIDs[key] = (await call(createNetwork, { body })).id;
  }
  const roleIDs = await createRoles(call, advance);
  await createTags(call, advance);
  await addRules(call, roleIDs, advance);
  return { networkIDs, roleIDs };
}

async function createTags(call: Client, advance: (ms: number) => void): Promise<void> {
  for (const { name, description, overrides = [] } of TAGS) {
    advance(MINUTE_MS);
    await call(createTag, { body: { name, description, configOverrides: overrides } });
  }
}

/** Rules refer to other roles and tags, so these exist before. */
async function addRules(call: Client, roleIDs: RoleIDs, advance: (ms: number) => void): Promise<void> {
  for (const key of Object.keys(ROLES) as RoleKey[]) {
    advance(MINUTE_MS);
    await setRules(call, roleIDs, key, LATER_RULES.includes(key) ? -1 : undefined);
  }
  for (const { name, description, overrides = [], rules = [] } of TAGS) {
    if (rules.length === 0) continue;
    advance(MINUTE_MS);
    const firewallRules = rules.map((rule) => toFirewallRule(rule, roleIDs));
    await call(updateTag, {
      params: { tag: name },
      body: { description, configOverrides: overrides, firewallRules },
    });
  }
}

async function createRoles(call: Client, advance: (ms: number) => void): Promise<Setup["roleIDs"]> {
  const { data } = await call(listRoles);
  const lighthouse = data.find(({ name }) => name === "Lighthouse")?.id;
  if (!lighthouse) throw new Error("A new organization has a role for lighthouses");
  const roleIDs = { lighthouse } as Setup["roleIDs"];
  for (const key of Object.keys(ROLES) as RoleKey[]) {
    advance(MINUTE_MS);
    const { name, description } = ROLES[key];
    roleIDs[key] = (await call(createRole, { body: { name, description } })).id;
  }
  return roleIDs;
}

/** Roles whose last rule is added later. */
export const LATER_RULES: readonly RoleKey[] = ["web", "database", "monitoring", "bastion"];

/** Without `end`, all rules; with -1, all but the last one. */
export async function setRules(call: Client, roleIDs: RoleIDs, key: RoleKey, end?: number): Promise<void> {
  const { name, description, rules } = ROLES[key];
  const firewallRules = rules.slice(0, end).map((rule) => toFirewallRule(rule, roleIDs));
  await call(updateRole, { params: { roleID: roleIDs[key] }, body: { name, description, firewallRules } });
}

export async function createTerraformKey(call: Client): Promise<string> {
  const granted = scopes.filter((scope) => !scope.startsWith("audit-logs"));
  return (await call(createApiKey, { body: { name: "Terraform", scopes: granted } })).token;
}

/** Routers must exist: `hostIDs` is keyed by network and name. */
export async function createRoutes(
  call: Client,
  roleIDs: RoleIDs,
  hostIDs: ReadonlyMap<string, string>,
): Promise<void> {
  const subscriptions = new Map<string, string[]>();
  for (const { name, description, router, cidrs, rules, subscribers } of ROUTES) {
    const body = {
      name,
      description,
      routerHostID: (router && hostIDs.get(router)) ?? null,
      routableCIDRs: cidrs,
      firewallRules: rules.map((rule) => toRouteRule(rule, roleIDs)),
    };
    const { id } = await call(createRoute, { body });
    for (const tag of subscribers) subscriptions.set(tag, [...(subscriptions.get(tag) ?? []), id]);
  }
  for (const [tag, routeSubscriptions] of subscriptions) {
    const seed = TAGS.find(({ name }) => name === tag);
    await call(updateTag, {
      params: { tag },
      body: {
        description: seed?.description ?? "",
        configOverrides: seed?.overrides ?? [],
        routeSubscriptions,
      },
    });
  }
}

/** Runners may debug the databases with this tag, which breaks a guarantee. */
export async function addDebugRule(call: Client, roleIDs: RoleIDs): Promise<void> {
  const tag = TAGS.find(({ name }) => name === DEBUG_TAG);
  const rule = {
    protocol: "TCP",
    portRange: { from: 5432, to: 5432 },
    allowedRoleID: roleIDs.runner,
  } as const;
  await call(updateTag, {
    params: { tag: DEBUG_TAG },
    body: {
      description: tag?.description ?? "",
      configOverrides: tag?.overrides ?? [],
      firewallRules: [{ ...rule, allowedTags: [], description: "Migration tests" }],
    },
  });
}

export async function createGuarantees(call: Client, { roleIDs, networkIDs }: Setup): Promise<void> {
  const role = (key: RoleKey) => ({ type: "role", id: roleIDs[key] }) as const;
  const tcp = (port: number) => ({ protocol: "TCP", portRange: { from: port, to: port } }) as const;
  await call(createGuarantee, {
    body: {
      type: "MUST_REACH",
      source: role("bastion"),
      destination: role("database"),
      ...tcp(22),
      networkID: networkIDs.production,
      description: "Databases stay reachable for repairs",
    },
  });
  await call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: role("runner"),
      destination: role("database"),
      ...tcp(5432),
      networkID: null,
      description: "CI runners never query a database",
    },
  });
  await call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: role("contractor"),
      destination: { type: "subnet", cidr: "192.168.10.0/24" },
      protocol: "ANY",
      networkID: networkIDs.corporate,
      description: "Contractors stay out of the Frankfurt office",
    },
  });
}

/** Mail to the people on call, which stays on this machine. */
export async function createNotifications(call: Client): Promise<void> {
  const { id } = await call(createNotificationChannel, {
    body: { type: "EMAIL", name: "On-call", addresses: ["on-call@harborline.example"] },
  });
  const channelIDs = [id];
  await call(createNotificationRule, {
    body: { eventType: "HOST_OFFLINE", tags: ["tier:critical"], thresholdMinutes: 3, channelIDs },
  });
  await call(createNotificationRule, { body: { eventType: "CERTIFICATE_EXPIRING", days: 14, channelIDs } });
  await call(createNotificationRule, { body: { eventType: "GUARANTEE_FAILING", channelIDs } });
}
