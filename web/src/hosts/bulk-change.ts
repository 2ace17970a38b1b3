import { bulkHosts, type HostsBulk } from "@lightkeeper/contract";
import { useWrite } from "../lib/query.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { followJob } from "./bulk-jobs.ts";

export type BulkAction = HostsBulk["action"];

export interface BulkDialogProps {
  /** "25 hosts" */
  hostCount: string;
  hosts: Pick<HostsBulk, "ids"> | Pick<HostsBulk, "filter">;
  onClose: () => void;
  onStarted: () => void;
}

type WithoutHosts<Body> = Body extends unknown ? Omit<Body, "ids" | "filter"> : never;
/** The action with its parameters. */
export type BulkChange = WithoutHosts<HostsBulk>;

export const bulkRules = [guaranteeViolated];

/** Starts a bulk change, whose progress is shown above the list. */
export function useBulkWrite(onStarted: () => void) {
  return useWrite(bulkHosts, {
    onSuccess: ({ jobID }, { body: { action } }) => {
      followJob({ id: jobID, action });
      onStarted();
    },
    rules: bulkRules,
  });
}
