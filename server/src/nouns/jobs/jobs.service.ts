import type { HostsBulk, Job } from "@lightkeeper/contract";
import { type Kysely, sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type Author, done, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import type { UnauditedTables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import { changeHosts } from "../hosts/bulk-changes.service.ts";
import { selectHosts } from "../hosts/host-selection.service.ts";
import type { JobRow } from "./jobs.queries.ts";

type JobTables = Pick<Kysely<Pick<UnauditedTables, "jobs" | "job_items">>, "updateTable" | "deleteFrom">;

const ERRORS_MAX = 100;

interface BulkRequest {
  author: Author;
  action: HostsBulk;
  now: Date;
}

async function selectItems(ctx: Context, { author, action, now }: BulkRequest): Promise<string[]> {
  const { ids, filter } = action;
  await requireKnownRole(ctx, author.organizationID, action);
  return selectHosts(ctx, { organizationID: author.organizationID, ids, filter, now });
}

/** A dry run locks all hosts in one transaction, which would take too long for more. */
const DRY_RUN_HOSTS_MAX = 10_000;

/** Changes the hosts in the given transaction, which the caller rolls back. */
export async function tryBulkChange(
  ctx: Context,
  tx: Writer,
  request: BulkRequest,
): Promise<Outcome<Record<string, never>>> {
  const ids = await selectItems(ctx, request);
  if (ids.length > DRY_RUN_HOSTS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", {
      message: `a dry run is limited to ${DRY_RUN_HOSTS_MAX} hosts`,
      extra: { limit: DRY_RUN_HOSTS_MAX },
    });
  if (ids.length === 0) return unchanged({});
  const { author, action, now } = request;
  const { entries } = await changeHosts(tx, { author, now, ids, action });
  const [first, ...rest] = entries;
  return first ? done({}, first, ...rest) : unchanged({});
}

/** Selects the hosts now; the job runner changes them later. */
export async function createJob(ctx: Context, request: BulkRequest): Promise<string> {
  const { author, action, now } = request;
  const { organizationID } = author;
  const { ids: _, filter: __, ...rest } = action;
  const items = await selectItems(ctx, request);
  const id = newId("job");
  await ctx.unaudited.transaction().execute(async (tx) => {
    await tx
      .insertInto("jobs")
      .values({
        id,
        organization_id: organizationID,
        actor: JSON.stringify(author.actor),
        actor_address: author.address ?? null,
        action: JSON.stringify(rest),
        state: items.length === 0 ? "done" : "pending",
        done: 0,
        total: items.length,
        errors: JSON.stringify([]),
        created_at: now,
        finished_at: items.length === 0 ? now : null,
      })
      .execute();
    await sql`insert into job_items (job_id, item) select ${id}, unnest(${items}::text[])`.execute(tx);
  });
  return id;
}

async function requireKnownRole(ctx: Context, organizationID: string, action: HostsBulk): Promise<void> {
  if (action.action !== "setRole" || action.roleID === null) return;
  const role = await ctx.reader
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("id", "=", action.roleID)
    .executeTakeFirst();
  if (!role) throw new ApiError("ERR_INVALID_REFERENCE", { path: "roleID" });
}

export interface Progress {
  job: JobRow;
  items: string[];
  problems: Job["errors"];
  now: Date;
}

/** Deletes the processed items and updates the progress. */
export async function advanceJob(db: JobTables, { job, items, problems, now }: Progress): Promise<void> {
  const processedCount = job.done + items.length;
  const isDone = processedCount >= job.total;
  await db.deleteFrom("job_items").where("job_id", "=", job.id).where("item", "in", items).execute();
  await db
    .updateTable("jobs")
    .set({
      state: isDone ? "done" : "running",
      done: processedCount,
      errors: JSON.stringify([...job.errors, ...problems].slice(0, ERRORS_MAX)),
      finished_at: isDone ? now : null,
    })
    .where("id", "=", job.id)
    .execute();
}

/** How long the result of a bulk change can be read. */
const FINISHED_JOB_DAYS = 7;

export async function deleteFinishedJobs(db: UnauditedWriter, now: Date): Promise<void> {
  const finishedBefore = new Date(now.getTime() - FINISHED_JOB_DAYS * DAY_MS);
  await db.deleteFrom("jobs").where("finished_at", "<=", finishedBefore).execute();
}
