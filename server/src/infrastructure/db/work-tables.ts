/** Queued work, import plans and counted attempts. */
import type { AuditActor, HostsBulk, ImportPlan, Job } from "@lightkeeper/contract";
import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface MailContent {
  subject: string;
  lines: string[];
  replyTo?: string;
}

export interface WorkTables {
  mail_jobs: {
    id: GeneratedAlways<number>;
    kind: Fixed<"signIn" | "signUp" | "invitation" | "support" | "notice">;
    email: Fixed<string>;
    plan: Fixed<"pro" | null>;
    setup_code_hash: ColumnType<Buffer | null, Buffer | null | undefined, never>;
    /** Null for magic links, which are composed when they are sent. */
    content: JSONColumnType<MailContent> | null;
    attempts: ColumnType<number, never, number>;
    next_attempt_at: Date;
    created_at: Fixed<Date>;
  };
  jobs: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    actor: JSONColumnType<AuditActor, string, never>;
    actor_address: Fixed<string | null>;
    action: JSONColumnType<HostsBulk, string, never>;
    state: Job["state"];
    done: number;
    total: number;
    errors: JSONColumnType<Job["errors"]>;
    created_at: Fixed<Date>;
    finished_at: Date | null;
  };
  /** Items that a job has not processed yet. */
  job_items: {
    job_id: Fixed<string>;
    item: Fixed<string>;
  };
  import_plans: {
    token_hash: Fixed<Buffer>;
    organization_id: Fixed<string>;
    /** The parsed items, in the form that `import/items.ts` defines. */
    things: JSONColumnType<object, string, never>;
    plan: JSONColumnType<Omit<ImportPlan, "planToken">, string, never>;
    expires_at: Fixed<Date>;
  };
  rate_limits: {
    key: Fixed<string>;
    /** Times of the attempts that still count, oldest first. */
    hits: Date[];
    /** ID of the attempt that was counted last. */
    latest: string;
    window_seconds: number;
  };
}
