/** The bulk changes someone has begun in this tab, until they have seen how they ended. */
import type { HostsBulk } from "@lightkeeper/contract";
import { useSyncExternalStore } from "react";

export interface BulkJob {
  id: string;
  action: HostsBulk["action"];
}

const KEY = "bulkJobs";
const listeners = new Set<() => void>();
let kept: { text: string | null; jobs: readonly BulkJob[] } = { text: null, jobs: [] };

function read(): readonly BulkJob[] {
  const text = sessionStorage.getItem(KEY);
  if (text !== kept.text) kept = { text, jobs: text === null ? [] : (JSON.parse(text) as BulkJob[]) };
  return kept.jobs;
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
export const forgetJob = (id: string): void => write(read().filter((job) => job.id !== id));
export const useBulkJobs = (): readonly BulkJob[] => useSyncExternalStore(subscribe, read);
