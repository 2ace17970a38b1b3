/** Sample guarantees for tests. */
import type { Counterexample, Guarantee, Role } from "@lightkeeper/contract";
import { role } from "./samples.ts";

const idOf = (prefix: string, letter: string) => `${prefix}-${letter.repeat(26)}`;

export const ciRunner: Role = { ...role, id: idOf("role", "C"), name: "CI runner", hostCount: 12 };
export const database: Role = {
  ...role,
  id: idOf("role", "D"),
  name: "Database",
  hostCount: 18,
  firewallRules: [
    {
      protocol: "TCP",
      portRange: { from: 5432, to: 5432 },
      allowedRoleID: role.id,
      allowedTags: [],
      description: "",
    },
  ],
};

export const counterexample: Counterexample = {
  source: { id: idOf("host", "C"), name: "ci-1", ipAddress: "100.100.0.8" },
  destination: {
    host: { id: idOf("host", "D"), name: "db-1", ipAddress: "100.100.0.9" },
    address: "100.100.0.9",
  },
  traffic: { protocol: "TCP", portRange: { from: 5432, to: 5432 } },
  rule: {
    source: { type: "tag", id: "debug:verbose", name: "debug:verbose" },
    index: 0,
    rule: { protocol: "TCP" },
  },
};

export const guarantee: Guarantee = {
  id: idOf("guarantee", "A"),
  type: "MUST_NEVER_REACH",
  source: { type: "role", id: ciRunner.id },
  destination: { type: "role", id: database.id },
  protocol: "TCP",
  portRange: null,
  networkID: null,
  description: "",
  suspension: null,
  state: "holds",
  failingSince: null,
  pairCount: 144,
  brokenPairCount: 0,
  counterexample: null,
  rejectedChangeCount: 0,
  createdAt: "2026-11-01T09:00:00Z",
  modifiedAt: "2026-11-02T09:00:00Z",
};

export const failingGuarantee: Guarantee = {
  ...guarantee,
  id: idOf("guarantee", "F"),
  state: "failing",
  failingSince: "2026-11-13T09:00:00Z",
  brokenPairCount: 1,
  counterexample,
};

export const suspendedGuarantee: Guarantee = {
  ...guarantee,
  id: idOf("guarantee", "S"),
  type: "MUST_REACH",
  source: { type: "any" },
  destination: { type: "subnet", cidr: "10.0.8.0/22" },
  portRange: { from: 443, to: 443 },
  state: "suspended",
  suspension: { reason: "Cache migration", until: "2026-11-20T12:00:00Z" },
  rejectedChangeCount: 2,
};
