/** Bulk changes that were started in this tab and whose result hasn't been dismissed. */
import type { HostsBulk } from "@lightkeeper/contract";
import { useSyncExternalStore } from "react";

export interface BulkJob {
  id: string;
  action: HostsBulk["action"];
}

const KEY = "bulkJobs";
const listeners = new Set<() => void>();
let cached: { text: string | null; jobs: readonly BulkJob[] } = { text: null, jobs: [] };

function read(): readonly BulkJob[] {
  const text = sessionStorage.getItem(KEY);
  if (text !== cached.text) cached = { text, jobs: text === null ? [] : (JSON.parse(text) as BulkJob[]) };
  return cached.jobs;
}

function write(jobs: readonly BulkJob[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(jobs));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const followJob = (job: BulkJob): void => write([...read(), job]);
export const removeJob = (id: string): void => write(read().filter((job) => job.id !== id));
export const useBulkJobs = (): readonly BulkJob[] => useSyncExternalStore(subscribe, read);
