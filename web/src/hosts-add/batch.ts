/**
 * Adds several hosts in the background and keeps their outcome in the session storage until the user confirms that the
 * codes are saved, because a code is shown only once.
 */
import {
  AuthError,
  createHostAndEnrollmentCodeV2,
  ForbiddenError,
  type BodyInputOf,
  type BrokenGuarantee,
} from "@lightkeeper/contract";
import { useSyncExternalStore } from "react";
import { api } from "../lib/api.ts";
import { handleShownError, hasCode, messageOf } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { handleAuthError, invalidateNoun } from "../lib/query.ts";
import { guaranteeViolated, violatedGuarantees } from "../preview/violation-values.ts";
import type { HostRow } from "./host-rows.ts";

const CONCURRENCY = 4;
const KEY = "hosts being added";

export interface AddedHost {
  state: "added";
  hostID: string;
  addresses: string[];
  code: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
}
export interface FailedHost {
  state: "failed";
  reason: string;
  /** The guarantees that the host would break. */
  guarantees: readonly BrokenGuarantee[];
}
export interface BatchItem {
  id: string;
  row: HostRow;
  body: BodyInputOf<typeof createHostAndEnrollmentCodeV2>;
  outcome: { state: "waiting" } | FailedHost | AddedHost;
}
export interface Batch {
  items: readonly BatchItem[];
  isRunning: boolean;
}

/** The server doesn't say which range has no free address. */
const namesRange = ({ row }: BatchItem) => row.address.includes("/");

const rulesFor = (item: BatchItem): readonly Rule[] => [
  guaranteeViolated,
  { path: "name", codes: ["ERR_DUPLICATE_VALUE"], message: "Another host in this network has this name." },
  { codes: ["ERR_DUPLICATE_VALUE"], message: "Another host has this address." },
  {
    codes: ["ERR_NETWORK_FULLY_ALLOCATED"],
    message: `All addresses in this ${namesRange(item) ? "range" : "network"} are in use.`,
  },
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: ({ extra }) =>
      typeof extra?.limit === "number"
        ? `Your plan is limited to ${extra.limit} hosts.`
        : "You’ve reached the host limit of your plan.",
  },
];

const emptyBatch: Batch = { items: [], isRunning: false };
let batch: Batch | undefined;
const listeners = new Set<() => void>();

/** The session storage decides whether there is a batch: logging out clears it. */
function read(): Batch {
  const stored = sessionStorage.getItem(KEY);
  if (stored === null) return emptyBatch;
  batch ??= { items: JSON.parse(stored) as BatchItem[], isRunning: false };
  return batch;
}

function update(next: Batch): void {
  batch = next;
  if (next.items.length === 0) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(next.items));
  for (const listener of listeners) listener();
}

function setOutcome(item: BatchItem, outcome: BatchItem["outcome"]): void {
  const { items, isRunning } = read();
  update({ isRunning, items: items.map((entry) => (entry.id === item.id ? { ...entry, outcome } : entry)) });
}

/** Errors that every remaining host would get, too. */
const affectsAllHosts = (error: unknown, item: BatchItem) =>
  error instanceof ForbiddenError ||
  hasCode(error, "ERR_LIMIT_EXCEEDED") ||
  (hasCode(error, "ERR_NETWORK_FULLY_ALLOCATED") && !namesRange(item));

async function add(item: BatchItem): Promise<void> {
  const { host, enrollmentCode } = await api(createHostAndEnrollmentCodeV2, { body: item.body });
  setOutcome(item, {
    state: "added",
    hostID: host.id,
    addresses: host.ipAddresses,
    code: enrollmentCode.code,
    expiresAt: Date.now() + enrollmentCode.lifetimeSeconds * 1000,
  });
}

/** Without a session, the remaining hosts wait for the next one. An error that affects all hosts fails them all. */
function handleFailure(item: BatchItem, error: Error, rest: BatchItem[]): void {
  if (error instanceof AuthError) {
    rest.length = 0;
    return handleAuthError(error);
  }
  handleShownError(error, rulesFor(item));
  const reason = messageOf(error);
  const guarantees = violatedGuarantees(error);
  for (const failed of [item, ...(affectsAllHosts(error, item) ? rest.splice(0) : [])])
    setOutcome(failed, { state: "failed", reason, guarantees });
}

/** Adds all waiting hosts, a few at a time. */
async function run(): Promise<void> {
  const rest = read().items.filter(({ outcome }) => outcome.state === "waiting");
  const work = async () => {
    for (let item = rest.shift(); item; item = rest.shift()) {
      try {
        await add(item);
      } catch (error) {
        handleFailure(item, error as Error, rest);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  update({ ...read(), isRunning: false });
  for (const noun of ["hosts", "networks", "roles", "tags"]) void invalidateNoun(noun);
}

/** Starts adding hosts. Hosts of an earlier batch stay listed. */
export function startBatch(hosts: readonly Pick<BatchItem, "row" | "body">[]): void {
  const newItems = hosts.map((host): BatchItem => ({
    ...host,
    id: crypto.randomUUID(),
    outcome: { state: "waiting" },
  }));
  update({ items: [...read().items, ...newItems], isRunning: true });
  void run();
}

/** Removes the hosts that were not added from the batch and returns them. */
export function takeFailed(): BatchItem[] {
  const { items } = read();
  update({ isRunning: false, items: items.filter(({ outcome }) => outcome.state === "added") });
  return items.filter(({ outcome }) => outcome.state !== "added");
}

/** Removes the added hosts, after their codes are saved. */
export function clearAdded(): void {
  const { items, isRunning } = read();
  update({ isRunning, items: items.filter(({ outcome }) => outcome.state !== "added") });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBatch = (): Batch => useSyncExternalStore(subscribe, read);
