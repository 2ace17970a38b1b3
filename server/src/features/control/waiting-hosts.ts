/** The hosts whose polls wait on this process, indexed by everything that a change can affect. */
import type { LongPollReply, UpdateRequest } from "@lightkeeper/contract/agent";
import type { AgentCall } from "../agents/control-plane.ts";
import type { AffectedHosts } from "./affected-hosts.ts";

export interface Waiter {
  call: AgentCall;
  supportedActions: readonly string[];
  /** The host's keys for its next configuration, if it accepts one with the reply. */
  update: UpdateRequest | undefined;
  /** Until the poll gets a reply, fails or is abandoned. */
  isOpen: boolean;
  /** While the host's next configuration is stored, nothing else is sent. */
  isUpdating: boolean;
  reply(reply: LongPollReply): void;
  fail(error: Error): void;
  /** Keeps the poll open until `release`: it's about to be checked. */
  hold(): void;
  release(): void;
}

const networkKey = (id: string) => `network ${id}`;
const roleKey = (networkID: string, id: string) => `role ${networkID} ${id}`;
const tagKey = (networkID: string, name: string) => `tag ${networkID} ${name}`;

const keysOf = ({ host }: AgentCall) => [
  networkKey(host.networkID),
  ...(host.roleID === null ? [] : [roleKey(host.networkID, host.roleID)]),
  ...host.tags.map((tag) => tagKey(host.networkID, tag)),
];

const hasSameKeys = (a: AgentCall["host"], b: AgentCall["host"]) =>
  a.networkID === b.networkID &&
  a.roleID === b.roleID &&
  a.tags.length === b.tags.length &&
  a.tags.every((tag, index) => tag === b.tags[index]);

const keysOfAffected = (networkID: string, { roleIDs, tags }: Exclude<AffectedHosts, "all">): string[] => [
  ...[...roleIDs].map((id) => roleKey(networkID, id)),
  ...[...tags].map((name) => tagKey(networkID, name)),
];

class WaiterIndex {
  readonly #waiters = new Map<string, Set<Waiter>>();

  add(waiter: Waiter): void {
    for (const key of keysOf(waiter.call)) {
      const waiters = this.#waiters.get(key) ?? new Set();
      this.#waiters.set(key, waiters.add(waiter));
    }
  }

  remove(waiter: Waiter): void {
    for (const key of keysOf(waiter.call)) {
      const waiters = this.#waiters.get(key);
      waiters?.delete(waiter);
      if (waiters?.size === 0) this.#waiters.delete(key);
    }
  }

  get(key: string): Iterable<Waiter> {
    return this.#waiters.get(key) ?? [];
  }
}

export function createWaitingHosts() {
  const index = new WaiterIndex();
  /** A host has one poll at a time. A set for each host would use more memory. */
  const hosts = new Map<string, Waiter>();
  const networks = new Map<string, { organizationID: string; count: number }>();
  const ofHosts = (ids: Iterable<string>): Waiter[] => [...ids].flatMap((id) => hosts.get(id) ?? []);

  return {
    add(waiter: Waiter): void {
      const { networkID, organizationID } = waiter.call.host;
      const count = (networks.get(networkID)?.count ?? 0) + 1;
      networks.set(networkID, { organizationID, count });
      hosts.set(waiter.call.host.id, waiter);
      index.add(waiter);
    },
    /** Returns whether it was the last waiter of its network. */
    remove(waiter: Waiter): boolean {
      const { id, networkID } = waiter.call.host;
      const network = networks.get(networkID);
      if (hosts.get(id) === waiter) hosts.delete(id);
      index.remove(waiter);
      if (network && --network.count === 0) networks.delete(networkID);
      return !networks.has(networkID);
    },
    /** Indexes the waiter by the current role and tags of its host. */
    refresh(waiter: Waiter, host: AgentCall["host"]): void {
      const isSame = hasSameKeys(waiter.call.host, host);
      if (!isSame) index.remove(waiter);
      waiter.call = { ...waiter.call, host };
      if (!isSame) index.add(waiter);
    },
    count: (): number => [...networks.values()].reduce((total, { count }) => total + count, 0),
    all: (): Waiter[] => [...networks.keys()].flatMap((id) => [...index.get(networkKey(id))]),
    ofHost: (id: string): Waiter | undefined => hosts.get(id),
    ofHosts,
    hasNetwork: (id: string) => networks.has(id),
    networksOf: (organizationID: string): string[] =>
      [...networks].filter(([, network]) => network.organizationID === organizationID).map(([id]) => id),
    affectedIn(networkID: string, affected: AffectedHosts): Iterable<Waiter> {
      if (affected === "all") return index.get(networkKey(networkID));
      const keys = keysOfAffected(networkID, affected);
      return [...ofHosts(affected.hostIDs), ...keys.flatMap((key) => [...index.get(key)])];
    },
  };
}

export type WaitingHosts = ReturnType<typeof createWaitingHosts>;
