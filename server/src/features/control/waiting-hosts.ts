/** The hosts that wait on this process, found by whatever a change can touch. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import type { Touched } from "./touched.ts";

export interface Waiter {
  call: AgentCall;
  supportedActions: readonly string[];
  /** Until it is answered, refused or gone. */
  isOpen: boolean;
  answer(reply: LongPollReply): void;
  refuse(error: Error): void;
}

const hostKey = (id: string) => `host ${id}`;
const networkKey = (id: string) => `network ${id}`;
const roleKey = (networkID: string, id: string) => `role ${networkID} ${id}`;
const tagKey = (networkID: string, name: string) => `tag ${networkID} ${name}`;

const keysOf = ({ host }: AgentCall) => [
  hostKey(host.id),
  networkKey(host.networkID),
  ...(host.roleID === null ? [] : [roleKey(host.networkID, host.roleID)]),
  ...host.tags.map((tag) => tagKey(host.networkID, tag)),
];

export function createWaitingHosts() {
  const index = new Map<string, Set<Waiter>>();
  const networks = new Map<string, { organizationID: string; count: number }>();
  const at = (key: string): Iterable<Waiter> => index.get(key) ?? [];

  function enter(waiter: Waiter): void {
    for (const key of keysOf(waiter.call)) {
      const waiters = index.get(key) ?? new Set();
      index.set(key, waiters.add(waiter));
    }
  }
  function leave(waiter: Waiter): void {
    for (const key of keysOf(waiter.call)) {
      const waiters = index.get(key);
      waiters?.delete(waiter);
      if (waiters?.size === 0) index.delete(key);
    }
  }

  return {
    add(waiter: Waiter): void {
      const { networkID, organizationID } = waiter.call.host;
      const count = (networks.get(networkID)?.count ?? 0) + 1;
      networks.set(networkID, { organizationID, count });
      enter(waiter);
    },
    /** Whether it was the last of its network. */
    remove(waiter: Waiter): boolean {
      const { networkID } = waiter.call.host;
      const network = networks.get(networkID);
      leave(waiter);
      if (network && --network.count === 0) networks.delete(networkID);
      return !networks.has(networkID);
    },
    /** The host has changed: it is found by what it is now. */
    refresh(waiter: Waiter, host: AgentCall["host"]): void {
      leave(waiter);
      waiter.call = { ...waiter.call, host };
      enter(waiter);
    },
    all: (): Waiter[] => [...networks.keys()].flatMap((id) => [...at(networkKey(id))]),
    ofHost: (id: string): Waiter[] => [...at(hostKey(id))],
    ofNetwork: (id: string) => at(networkKey(id)),
    hasNetwork: (id: string) => networks.has(id),
    networksOf: (organizationID: string): string[] =>
      [...networks].filter(([, network]) => network.organizationID === organizationID).map(([id]) => id),
    touchedIn(networkID: string, touched: Touched): Iterable<Waiter> {
      if (touched === "everyone") return at(networkKey(networkID));
      const { roleIDs, tags, hostIDs } = touched;
      const keys = [
        ...[...roleIDs].map((id) => roleKey(networkID, id)),
        ...[...tags].map((name) => tagKey(networkID, name)),
        ...[...hostIDs].map(hostKey),
      ];
      return keys.flatMap((key) => [...at(key)]);
    },
  };
}

export type WaitingHosts = ReturnType<typeof createWaitingHosts>;
