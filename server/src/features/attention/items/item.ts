import type { AttentionItem } from "@lightkeeper/contract";
import type { Reader } from "../../../infrastructure/db/client.ts";
import type { AttentionRequest, ExpiringHosts, NetworkState } from "../sources.queries.ts";

/** The first hosts by name, each with the number of all of them. */
export type WaitingHosts = readonly { id: string; name: string; count: number }[];

/** The hosts that the current step of a network's CA rotation waits for. */
export type FindWaitingHosts = (networkID: string, stepStartedAt: Date) => Promise<WaitingHosts>;

export interface AttentionSources {
  db: Reader;
  request: AttentionRequest;
  networks: readonly NetworkState[];
  expiringHosts: ExpiringHosts;
  findWaitingHosts: FindWaitingHosts;
}

/** The items of one type. */
export type FindItems = (sources: AttentionSources) => Promise<Omit<AttentionItem, "type">[]>;

/** The most hosts that an item names. */
export const NAMED_HOSTS_MAX = 3;

type AttentionObject = AttentionItem["objects"][number];

interface Named {
  id: string;
  name: string;
}

export const toHostObjects = (hosts: readonly Named[]): AttentionObject[] =>
  hosts.slice(0, NAMED_HOSTS_MAX).map(({ id, name }) => ({ type: "host", id, name }));

export const toNetworkObject = ({ id, name }: Named): AttentionObject => ({ type: "network", id, name });
