/** Audit entries of the past, stored unsealed; the sealer adds them to the chain. */
import type { AuditActor } from "@lightkeeper/contract";
import type { AuditEntry } from "../infrastructure/db/audited.ts";
import type { Writer } from "../infrastructure/db/client.ts";
import type { Random } from "./random.ts";
import { insertRows } from "./rows.ts";

type PastEntry = Pick<AuditEntry, "target" | "event" | "before" | "after"> & { actor?: AuditActor };

export interface History {
  /** Default actor. */
  owner: AuditActor;
  add: (at: Date, entry: PastEntry) => void;
  store: (tx: Writer) => Promise<void>;
}

export function createHistory(ids: Random, organizationID: string, owner: AuditActor): History {
  const entries: { at: Date; entry: PastEntry }[] = [];
  return {
    owner,
    add: (at, entry) => void entries.push({ at, entry }),
    store: async (tx) => {
      const rows = entries
        .sort((a, b) => a.at.getTime() - b.at.getTime())
        .map(({ at, entry }) => ({
          id: ids.id("log"),
          organization_id: organizationID,
          created_at: at,
          actor: entry.actor ?? owner,
          target_type: entry.target.type,
          target_id: entry.target.id,
          event_type: entry.event,
          before: entry.before,
          after: entry.after,
        }));
      await insertRows(tx, "audit_logs", rows);
    },
  };
}
