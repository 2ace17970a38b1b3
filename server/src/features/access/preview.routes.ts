import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { findAccessDiff } from "./access-diffs.queries.ts";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import { done, unchanged } from "../../infrastructure/db/audited.ts";
import type { DryRuns, PreviewWork } from "../../infrastructure/http/dry-runs.ts";
import type { Routes } from "../../infrastructure/http/route.ts";

interface PreviewDependencies {
  dryRuns: DryRuns;
  previewWork: PreviewWork;
}

/** Runs all mutations in one transaction, so that each sees the ones before it. */
export function servePreview(
  routes: Routes,
  { reader }: Pick<Context, "reader">,
  { dryRuns, previewWork }: PreviewDependencies,
): void {
  routes.read(contract.getAccessDiff, async ({ actor, params }) => {
    const found = await findAccessDiff(reader, actor.organization.id, params.diffID);
    if (!found) throw new ApiError("ERR_NOT_FOUND");
    return found;
  });
  routes.writeUnaudited(contract.previewAccess, async ({ body: { mutations }, now, ...caller }) => {
    const works = await Promise.all(
      mutations.map((mutation, index) =>
        dryRuns.prepare(mutation, caller, { path: `mutations[${index}]`, now }),
      ),
    );
    return previewWork(async (tx) => {
      const entries: AuditEntry[] = [];
      for (const work of works) {
        const outcome = await work(tx);
        if (outcome.kind === "rejected") throw outcome.error;
        if (outcome.kind === "done") entries.push(...outcome.entries);
      }
      const [first, ...rest] = entries;
      return first ? done({}, first, ...rest) : unchanged({});
    }, caller.actor);
  });
}
