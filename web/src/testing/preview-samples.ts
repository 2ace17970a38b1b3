/** Sample previews for tests. */
import type { AccessChange, AccessGroup, AccessPreview } from "@lightkeeper/contract";
import { ciRunner, counterexample, database, guarantee } from "./guarantee-samples.ts";
import { network } from "./samples.ts";
import { noChange } from "./transport.ts";

const groupOf = ({ id, name, hostCount }: typeof database, tags: string[] = []): AccessGroup => ({
  role: { id, name },
  tags,
  hostCount,
  hosts: [],
});

const change: AccessChange = {
  networkID: network.id,
  traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
  sources: [groupOf(ciRunner)],
  sourceCount: 3,
  destinations: [groupOf(database)],
  destinationCount: 18,
  subnets: [],
  pairCount: 54,
};

/** Opens one connection, closes another and gives 18 hosts a new configuration. */
export const changedAccess: AccessPreview = {
  ...noChange,
  opened: [change],
  openedPairCount: 54,
  closed: [
    {
      ...change,
      traffic: [{ protocol: "TCP", portRange: { from: 22, to: 22 } }],
      sources: [groupOf(ciRunner, ["team:data"])],
      sourceCount: 6,
      pairCount: 108,
    },
  ],
  closedPairCount: 108,
  affectedHostCount: 18,
  affectedHosts: [
    { id: "host-1", name: "db-1", ipAddress: "100.100.0.9" },
    { id: "host-2", name: "db-2", ipAddress: "100.100.0.10" },
  ],
};

export const brokenGuarantee = {
  id: guarantee.id,
  description: "Contractors must never reach databases",
  counterexample,
};

export const lostAccess: AccessPreview["ownAccessLost"] = [
  {
    host: { id: "host-9", name: "laptop-9", ipAddress: "100.100.0.99" },
    traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
    destinationCount: 18,
  },
];
