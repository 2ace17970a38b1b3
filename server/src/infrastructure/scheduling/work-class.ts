/** For whom work is done: queues share connections fairly between classes of work, above all between organizations. */
import { AsyncLocalStorage } from "node:async_hooks";

/** Background work, and what is done for several organizations together. */
export const SYSTEM = "system";
/** Requests whose organization is not known, or not known yet. */
export const UNAUTHENTICATED = "unauthenticated";

interface Work {
  workClass: string;
  /** Whether it runs within a transaction, and so has a connection already. */
  isInTransaction: boolean;
}

const storage = new AsyncLocalStorage<Work>();

export const currentWork = (): Work => storage.getStore() ?? { workClass: SYSTEM, isInTransaction: false };

/** The class is an organization's ID, or one of the above. */
export const runAs = <T>(workClass: string, work: () => T): T =>
  storage.run({ workClass, isInTransaction: false }, work);

export const runInTransaction = <T>(work: () => T): T =>
  storage.run({ ...currentWork(), isInTransaction: true }, work);
