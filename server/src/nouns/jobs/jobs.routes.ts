import * as contract from "@lightkeeper/contract";
import type { Job } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findJob, type JobRow } from "./jobs.queries.ts";
import { createJob, tryBulkChange } from "./jobs.service.ts";

const toJob = ({ id, state, done, total, errors }: JobRow): Job => ({ id, state, done, total, errors });

export function serveJobs(routes: Routes, ctx: Context, wake: () => void): void {
  routes.writeUnaudited(
    contract.bulkHosts,
    async ({ actor, body, ip, now }) => {
      const author = { ...authorOf(actor), address: ip };
      const jobID = await createJob(ctx, { author, action: body, now });
      wake();
      return { jobID };
    },
    {
      dryRun: ({ actor, body, now }, tx) =>
        tryBulkChange(ctx, tx, { author: authorOf(actor), action: body, now }),
    },
  );

  routes.read(contract.getJob, async ({ actor, params }) => {
    const row = await findJob(ctx.reader, actor.organization.id, params.jobID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toJob(row);
  });
}
