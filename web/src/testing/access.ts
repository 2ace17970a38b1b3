/** Sample answers about access. */
import type {
  AccessAnswer,
  AccessExample,
  AccessGroup,
  AccessHostReference,
  AccessMatrix,
  AccessRule,
  HostAccess,
} from "@lightkeeper/contract";
import { network, role } from "./samples.ts";

const reference = (letter: string, name: string, ipAddress: string): AccessHostReference => ({
  id: `host-${letter.repeat(26)}`,
  name,
  ipAddress,
});
export const web = reference("W", "web-01", "100.100.0.7");
export const db = reference("D", "db-01", "100.100.0.9");
export const router = reference("R", "router-01", "100.100.0.12");

export const postgresRule: AccessRule = {
  source: { type: "role", id: role.id, name: "Database" },
  index: 3,
  rule: {
    protocol: "TCP",
    portRange: { from: 5432, to: 5432 },
    allowedRoleID: null,
    allowedTags: ["team:web"],
    description: "Queries",
  },
};

export const allowedExample: AccessExample = {
  source: web,
  destination: { host: db, address: db.ipAddress },
  isAllowed: true,
  failedCheck: null,
  decidingHost: db,
  ruleCount: 7,
  route: null,
  rules: [postgresRule],
  smallestRule: null,
  isInSync: true,
  certificateExpiresAt: "2099-11-02T09:00:00Z",
};

export const deniedExample: AccessExample = {
  ...allowedExample,
  source: db,
  destination: { host: web, address: web.ipAddress },
  isAllowed: false,
  failedCheck: { kind: "noRule", host: null },
  decidingHost: web,
  rules: [],
  smallestRule: {
    target: { type: "role", id: role.id, name: "Web" },
    rule: {
      protocol: "TCP",
      portRange: { from: 5432, to: 5432 },
      allowedRoleID: null,
      allowedTags: ["team:db"],
    },
    sourceCount: 18,
    destinationCount: 40,
  },
};

export const allowed: AccessAnswer = {
  answer: "all",
  pairCount: 1,
  allowedPairCount: 1,
  example: allowedExample,
  traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
  revision: 418,
};

export const denied: AccessAnswer = {
  ...allowed,
  answer: "none",
  allowedPairCount: 0,
  example: deniedExample,
  traffic: [],
};

export const deniedBy = (
  kind: NonNullable<AccessExample["failedCheck"]>["kind"],
  more: Partial<AccessExample> = {},
): AccessAnswer => ({
  ...denied,
  example: { ...deniedExample, failedCheck: { kind, host: web }, smallestRule: null, ...more },
});

const group = (
  name: string | null,
  tags: string[],
  hosts: AccessHostReference[],
  hostCount: number,
): AccessGroup => ({
  role: name === null ? null : { id: `role-${name.toUpperCase().padEnd(26, "A")}`, name },
  tags,
  hostCount,
  hosts,
});
export const webGroup = group("Web", [], [web], 1740);
export const dbGroup = group("Database", ["env:prod"], [db], 372);
export const roleless = group(null, [], [router], 3);

export const hostAccess: HostAccess = {
  host: db,
  networkID: network.id,
  failedCheck: null,
  inbound: [
    {
      group: webGroup,
      traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
      rules: [postgresRule],
    },
  ],
  inboundGroupCount: 1,
  inboundHostCount: 1740,
  outbound: [{ group: roleless, traffic: [{ protocol: "ICMP", portRange: null }], rules: [postgresRule] }],
  outboundGroupCount: 1,
  outboundHostCount: 3,
  subnets: [
    {
      subnet: { cidr: "192.168.4.0/24", except: ["192.168.4.7/32"] },
      traffic: [{ protocol: "TCP", portRange: { from: 443, to: 443 } }],
      rules: [],
    },
  ],
  blastRadius: { hostCount: 5, subnetCount: 1 },
  revision: 418,
};

export const matrix: AccessMatrix = {
  hostCount: 2115,
  detail: "groups",
  groups: [webGroup, dbGroup, roleless],
  groupCount: 3,
  subnets: [{ cidr: "192.168.4.0/24", except: [] }],
  traffic: [
    [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
    [
      { protocol: "TCP", portRange: { from: 80, to: 80 } },
      { protocol: "TCP", portRange: { from: 443, to: 443 } },
    ],
    [{ protocol: "ICMP", portRange: null }],
    [
      { protocol: "TCP", portRange: null },
      { protocol: "UDP", portRange: null },
      { protocol: "ICMP", portRange: null },
      { protocol: "OTHER", portRange: null },
    ],
  ],
  cells: [
    { source: 0, destination: 1, traffic: 0, isPartial: false },
    { source: 1, destination: 0, traffic: 1, isPartial: true },
    { source: 2, destination: 0, traffic: 2, isPartial: false },
    { source: 2, destination: 3, traffic: 3, isPartial: false },
  ],
  revision: 418,
};
