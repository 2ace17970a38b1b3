/**
 * Hosts being added, several at once: what is to be done, and what came of it. It goes on while the page is left,
 * and stays in the tab's session until it is said to be saved, for a code is shown once only.
 */
import {
  AuthError,
  createHostAndEnrollmentCodeV2,
  ForbiddenError,
  type BodyInputOf,
} from "@lightkeeper/contract";
import { useSyncExternalStore } from "react";
import { api } from "../lib/api.ts";
import { handleShownError, hasCode, messageOf } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { handleAuthError, invalidateNoun } from "../lib/query.ts";
import type { HostRow } from "./host-rows.ts";

const CONCURRENCY = 4;
const KEY = "hosts being added";

export interface MadeHost {
  state: "made";
  hostID: string;
  addresses: string[];
  code: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
}
export interface BatchItem {
  id: string;
  row: HostRow;
  body: BodyInputOf<typeof createHostAndEnrollmentCodeV2>;
  outcome: { state: "waiting" } | { state: "failed"; reason: string } | MadeHost;
}
export interface Batch {
  items: readonly BatchItem[];
  isRunning: boolean;
}

const rules: readonly Rule[] = [
  { path: "name", codes: ["ERR_DUPLICATE_VALUE"], message: "The network has a host of this name already." },
  { codes: ["ERR_DUPLICATE_VALUE"], message: "The address is taken." },
  { codes: ["ERR_NETWORK_FULLY_ALLOCATED"], message: "The network has no free address left." },
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: ({ extra }) =>
      `Your plan ends at ${typeof extra?.limit === "number" ? `${extra.limit} hosts` : "this number of hosts"}.`,
  },
];

const nothing: Batch = { items: [], isRunning: false };
let batch: Batch | undefined;
const listeners = new Set<() => void>();

/** The session's copy: signing out takes it away, whatever is kept here. */
function read(): Batch {
  const kept = sessionStorage.getItem(KEY);
  if (kept === null) return nothing;
  batch ??= { items: JSON.parse(kept) as BatchItem[], isRunning: false };
  return batch;
}

function become(next: Batch): void {
  batch = next;
  if (next.items.length === 0) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(next.items));
  for (const listener of listeners) listener();
}

function settle(item: BatchItem, outcome: BatchItem["outcome"]): void {
  const { items, isRunning } = read();
  become({ isRunning, items: items.map((one) => (one.id === item.id ? { ...one, outcome } : one)) });
}

/** What holds for this host holds for those after it too. */
const stopsAll = (error: unknown) =>
  error instanceof ForbiddenError ||
  hasCode(error, "ERR_LIMIT_EXCEEDED") ||
  hasCode(error, "ERR_NETWORK_FULLY_ALLOCATED");

async function add(item: BatchItem): Promise<void> {
  const { host, enrollmentCode } = await api(createHostAndEnrollmentCodeV2, { body: item.body });
  settle(item, {
    state: "made",
    hostID: host.id,
    addresses: host.ipAddresses,
    code: enrollmentCode.code,
    expiresAt: Date.now() + enrollmentCode.lifetimeSeconds * 1000,
  });
}

/** Without a session the rest waits for the next one; what the whole batch cannot have, the rest is refused too. */
function fail(item: BatchItem, error: Error, rest: BatchItem[]): void {
  if (error instanceof AuthError) {
    rest.length = 0;
    return handleAuthError(error);
  }
  handleShownError(error, rules);
  const reason = messageOf(error);
  for (const one of [item, ...(stopsAll(error) ? rest.splice(0) : [])])
    settle(one, { state: "failed", reason });
}

/** Adds every host that waits, a few at a time. */
async function run(): Promise<void> {
  const rest = read().items.filter(({ outcome }) => outcome.state === "waiting");
  const work = async () => {
    for (let item = rest.shift(); item; item = rest.shift()) {
      try {
        await add(item);
      } catch (error) {
        fail(item, error as Error, rest);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  become({ ...read(), isRunning: false });
  for (const noun of ["hosts", "networks", "roles", "tags"]) void invalidateNoun(noun);
}

/** Begins to add hosts, beside those that have been made. */
export function startBatch(hosts: readonly Pick<BatchItem, "row" | "body">[]): void {
  const added = hosts.map((host): BatchItem => ({
    ...host,
    id: crypto.randomUUID(),
    outcome: { state: "waiting" },
  }));
  become({ items: [...read().items, ...added], isRunning: true });
  void run();
}

/** Gives back the hosts that have not been made, and forgets them here. */
export function takeUnmade(): BatchItem[] {
  const { items } = read();
  become({ isRunning: false, items: items.filter(({ outcome }) => outcome.state === "made") });
  return items.filter(({ outcome }) => outcome.state !== "made");
}

/** The codes have been saved: what has been made need not be kept here. */
export function forgetMade(): void {
  const { items, isRunning } = read();
  become({ isRunning, items: items.filter(({ outcome }) => outcome.state !== "made") });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBatch = (): Batch => useSyncExternalStore(subscribe, read);
