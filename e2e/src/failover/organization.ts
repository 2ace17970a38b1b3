/** The organization that the agents, the writers and the notifications belong to. */
import {
  type Client,
  createClient,
  createNetwork,
  createNotificationChannel,
  createNotificationRule,
  createRole,
  updateRole,
} from "@lightkeeper/contract";
import {
  createContext,
  createHostsWithCodes,
  createOwner,
  type HostInput,
  logInOwner,
  readConfig,
} from "@lightkeeper/server/seeds";

export interface Organization {
  id: string;
  call: Client;
  /** Sends the same requests to another server. */
  clientFor: (url: string) => Client;
  /** The network of the hosts that the writers create. */
  networkID: string;
  /** The enrollment codes of the agents. */
  codes: string[];
  /** Opens a port on all hosts with an agent. */
  openPort: (port: number) => Promise<void>;
}

export interface OrganizationOptions {
  url: string;
  databaseURL: string;
  environment: Record<string, string>;
  agents: number;
  /** Receives a notification for every blocked host. */
  webhookURL: string;
}

const rulesWith = (port: number) => [{ protocol: "TCP" as const, portRange: { from: port, to: port } }];

const agentHost = (networkID: string, roleID: string, index: number): HostInput => ({
  networkID,
  name: `agent-${index}`,
  roleID,
  addresses: [],
  staticAddresses: [],
  listenPort: 0,
  isLighthouse: false,
  isRelay: false,
  tags: [],
  configOverrides: [],
  description: "",
  owner: "",
});

async function createNotifications(call: Client, webhookURL: string): Promise<void> {
  const channel = await call(createNotificationChannel, {
    body: { type: "WEBHOOK", name: "Blocked hosts", url: webhookURL },
  });
  await call(createNotificationRule, { body: { eventType: "HOST_BLOCKED", channelIDs: [channel.id] } });
}

export async function createOrganization(options: OrganizationOptions): Promise<Organization> {
  const { url, databaseURL, environment, agents, webhookURL } = options;
  const { SECRET_KEY, DATA_DIR } = environment;
  // A local server needs no setup code for its first account.
  const config = readConfig({ DATABASE_URL: databaseURL, SECRET_KEY, DATA_DIR, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString: databaseURL, version: "1.2.3" });
  try {
    await ctx.changes.open();
    const owner = await createOwner(ctx, { email: "owner@example.com", now: ctx.clock() });
    const { userToken, authToken } = await logInOwner(ctx, owner, "failover");
    const authorization = () => `Bearer ${userToken} ${authToken}`;
    const clientFor = (baseURL: string) => createClient({ baseURL, authorization });
    const call = clientFor(url);
    const fleet = await call(createNetwork, { body: { name: "Agents", cidr: "10.64.0.0/16" } });
    const written = await call(createNetwork, { body: { name: "Written", cidr: "10.65.0.0/16" } });
    const role = await call(createRole, { body: { name: "Agents", firewallRules: rulesWith(1) } });
    await createNotifications(call, webhookURL);
    const hosts = Array.from({ length: agents }, (_, index) => agentHost(fleet.id, role.id, index));
    const codes = await createHostsWithCodes(ctx, owner, hosts);
    return {
      id: owner.organizationID,
      call,
      clientFor,
      networkID: written.id,
      codes: [...codes.values()],
      openPort: async (port) => {
        const params = { roleID: role.id };
        await call(updateRole, { params, body: { firewallRules: rulesWith(port) } });
      },
    };
  } finally {
    await ctx.dispose();
  }
}
