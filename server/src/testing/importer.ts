/** An account with a network, and helpers to import into it. */
import {
  applyImport,
  createHostV2,
  createNetwork,
  type HostV2,
  type HostV2CreateInput,
  type ImportPlan,
  listAuditLogs,
  listHostsV2,
  listRoles,
  PAGE_SIZE_MAX,
  planImport,
  type Role,
} from "@lightkeeper/contract";
import type { Session, TestServer } from "./server.ts";

export interface Importer {
  session: Session;
  call: Session["call"];
  /** The network Main, 10.1.0.0/24. */
  networkID: string;
  planYaml: (content: string) => Promise<ImportPlan>;
  planCsv: (content: string) => Promise<ImportPlan>;
  apply: (plan: Pick<ImportPlan, "planToken">) => Promise<{ created: number; changed: number }>;
  /** Creates a host without an import. */
  addHost: (host: Partial<HostV2CreateInput>) => Promise<HostV2>;
  hosts: () => Promise<HostV2[]>;
  hostNamed: (name: string) => Promise<HostV2 | undefined>;
  roleNamed: (name: string) => Promise<Role | undefined>;
  /** Audit entries such as `role CREATED`, newest first. */
  entries: () => Promise<string[]>;
}

let hostCount = 0;

export async function createImporter(server: TestServer, plan = "pro"): Promise<Importer> {
  const session = await server.signUp();
  const { call, organizationID } = session;
  await server.query("update organizations set plan = $1 where id = $2", [plan, organizationID]);
  const { id: networkID } = await call(createNetwork, { body: { name: "Main", cidr: "10.1.0.0/24" } });
  const hosts = async () => (await call(listHostsV2, { query: { pageSize: PAGE_SIZE_MAX } })).data;
  return {
    session,
    call,
    networkID,
    planYaml: (content) => call(planImport, { body: { format: "yaml", content } }),
    planCsv: (content) => call(planImport, { body: { format: "csv", content } }),
    apply: ({ planToken }) => call(applyImport, { body: { planToken } }),
    addHost: (host) => call(createHostV2, { body: { name: `host-${++hostCount}`, networkID, ...host } }),
    hosts,
    hostNamed: async (name) => (await hosts()).find((host) => host.name === name),
    roleNamed: async (name) => (await call(listRoles)).data.find((role) => role.name === name),
    entries: async () => {
      const { data } = await call(listAuditLogs, { query: { pageSize: PAGE_SIZE_MAX } });
      return data.map(({ target, event }) => `${target.type} ${event.type}`);
    },
  };
}

/** Roles that reference each other, tags, and hosts of every kind. */
export const EVERYTHING = `
roles:
  - name: Ops
    description: Operations team
    firewallRules:
      - {protocol: TCP, portRange: {from: 22, to: 22}, allowedRole: ops, allowedTags: ["env:prod"]}
      - {protocol: ICMP, allowedRole: Web}
  - name: Web
    firewallRules:
      - {protocol: TCP, portRange: {from: 443, to: 443}, allowedRole: Ops}
tags:
  - name: env:prod
    description: Paying customers
    configOverrides: [{key: logging.level, value: warning}]
    firewallRules:
      - {protocol: UDP, allowedRole: Web}
  - name: team:a
hosts:
  - {name: light, network: main, isLighthouse: true, staticAddresses: ["192.0.2.1:4242"], listenPort: 4242}
  - {name: web-1, network: Main, role: Web, tags: [env:prod, "team:b"], ipAddress: 10.1.0.77}
  - name: web-2
    network: Main
    role: Lighthouse
    configOverrides: [{key: tun.mtu, value: 1300}]
`;
