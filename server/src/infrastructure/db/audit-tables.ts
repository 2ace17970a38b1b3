import type { AccessDiffSummary, AuditActor, AuditEventType, AuditTargetType } from "@lightkeeper/contract";
import type { ColumnType, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

type Snapshot = object | string | null;

export interface AuditTables {
  audit_logs: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    created_at: ColumnType<Date, never, never>;
    actor: JSONColumnType<AuditActor, string, never>;
    target_type: Fixed<AuditTargetType>;
    target_id: Fixed<string>;
    event_type: Fixed<AuditEventType>;
    before: ColumnType<Snapshot, string | null, never>;
    after: ColumnType<Snapshot, string | null, never>;
    actor_address: Fixed<string | null>;
    access_diff: ColumnType<AccessDiffSummary | null, string | null, never>;
    sequence: ColumnType<number | null, never, number>;
    hash: ColumnType<Buffer | null, never, Buffer>;
  };
  audit_heads: {
    organization_id: Fixed<string>;
    sequence: number;
    hash: Buffer;
  };
}
