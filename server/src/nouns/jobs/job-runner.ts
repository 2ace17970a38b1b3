/**
 * Runs bulk changes; any process may claim a job. Each transaction changes 500 hosts and deletes their items, so that
 * a job whose process was killed continues where it stopped.
 */
import type { Context } from "../../infrastructure/context/context.ts";
import { done, unchanged } from "../../infrastructure/db/audited.ts";
import { type GuaranteeViolation, isGuaranteeViolation } from "../../features/access/access-guard.ts";
import { lockJobForUpdate } from "../../infrastructure/db/locks.ts";
import { type BulkOutcome, changeHosts } from "../hosts/bulk-changes.service.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { claimJob, findItems, type JobRow } from "./jobs.queries.ts";
import { advanceJob, type Progress } from "./jobs.service.ts";

const HOSTS_PER_TRANSACTION = 500;
const POLL_MS = 2000;

/** Rolls back a transaction that changed nothing, since an audited transaction needs an entry. */
class NothingChanged extends Error {
  readonly problems: BulkOutcome["problems"];
  constructor(problems: BulkOutcome["problems"]) {
    super("Nothing changed");
    this.problems = problems;
  }
}

/** Processes the next batch of a job; returns the job if there was one. */
async function runBatch(ctx: Context, hostsMax = HOSTS_PER_TRANSACTION): Promise<JobRow | undefined> {
  const now = ctx.clock();
  let batch: Batch | undefined;
  try {
    return await ctx.audited(async (tx) => {
      const job = await claimJob(tx);
      if (!job) return unchanged(undefined);
      const items = await findItems(tx, job.id, hostsMax);
      batch = { job, items };
      const author = {
        organizationID: job.organization_id,
        actor: job.actor,
        address: job.actor_address ?? undefined,
      };
      const change = { author, now, ids: items, action: job.action };
      const { entries, problems } = await changeHosts(tx, change);
      const [first, ...rest] = entries;
      if (!first) throw new NothingChanged(problems);
      await advanceJob(tx, { job, items, problems, now });
      return done<JobRow | undefined>(job, first, ...rest);
    });
  } catch (error) {
    if (batch && error instanceof NothingChanged)
      await advanceUnchanged(ctx, { ...batch, problems: error.problems, now });
    else if (batch && isGuaranteeViolation(error)) await skipViolations(ctx, batch, error);
    else throw error;
    return batch.job;
  }
}

interface Batch {
  job: JobRow;
  items: string[];
}

/** Changes the hosts of the batch one by one, because only some of them break a guarantee. */
async function skipViolations(ctx: Context, { job, items }: Batch, error: GuaranteeViolation): Promise<void> {
  const [first] = items;
  if (items.length > 1 || first === undefined) {
    for (const _ of items) await runBatch(ctx, 1);
    return;
  }
  const guarantees = [...error.guarantees];
  const problems = error.errors.map(({ code, message }) => ({ id: first, code, message, guarantees }));
  await advanceUnchanged(ctx, { job, items, problems, now: ctx.clock() });
}

/** Does nothing if another process has advanced the job in the meantime. */
async function advanceUnchanged(ctx: Context, { job, items, problems, now }: Progress): Promise<void> {
  await ctx.unaudited.transaction().execute(async (tx) => {
    const current = await lockJobForUpdate(tx, job.id);
    if (current?.done === job.done) await advanceJob(tx, { job, items, problems, now });
  });
}

export function createJobRunner(ctx: Context): Worker {
  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      while (!isStopped()) {
        const job = await runBatch(ctx);
        if (!job) return;
        await announce(ctx.unaudited, { noun: "jobs", id: job.id, organizationID: job.organization_id });
      }
    },
    onError: (error) => ctx.log.warn({ err: error }, "failed to run a bulk change"),
  });
}
