/** Audit entries of the past. They are stored unsealed, as any other; the sealer chains them. */
import type { AuditActor } from "@lightkeeper/contract";
import type { AuditEntry } from "../infrastructure/db/audited.ts";
import type { Writer } from "../infrastructure/db/client.ts";
import type { Random } from "./random.ts";
import { insertRows } from "./rows.ts";

type Past = Pick<AuditEntry, "target" | "event" | "before" | "after"> & { actor?: AuditActor };

export interface History {
  /** Who did it when nobody is named. */
  owner: AuditActor;
  add: (at: Date, entry: Past) => void;
  store: (tx: Writer) => Promise<void>;
}

export function createHistory(ids: Random, organizationID: string, owner: AuditActor): History {
  const entries: { at: Date; entry: Past }[] = [];
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
