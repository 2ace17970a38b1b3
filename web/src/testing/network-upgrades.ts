/** A sample upgrade for tests. */
import type { NetworkUpgrade } from "@lightkeeper/contract";
import { network } from "./samples.ts";

export const networkUpgrade: NetworkUpgrade = {
  networkID: network.id,
  newCAID: `ca-${"B".repeat(26)}`,
  cidr: "fd12:3456:789a::/64",
  step: "TRUST",
  isReverting: false,
  isForced: false,
  canFinish: false,
  canRevert: true,
  startedAt: "2026-11-15T09:00:00Z",
  stepStartedAt: "2026-11-15T10:00:00Z",
  waitingFor: {
    hostCount: 3,
    hosts: [
      { id: "host-1", name: "db-1", isOnline: false, lastSeenAt: null, nebulaVersion: null },
      {
        id: "host-2",
        name: "web-1",
        isOnline: true,
        lastSeenAt: "2026-11-15T10:00:00Z",
        nebulaVersion: "1.9.3",
      },
    ],
  },
};
