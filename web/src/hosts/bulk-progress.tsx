import { getJob, NotFoundError, type HostsBulk, type Job } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { invalidateNoun, read } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { forgetJob, type BulkJob } from "./bulk-jobs.ts";
import { hostKinds } from "../references/host-link.tsx";
import styles from "./bulk.module.css";

const POLL_MS = 700;

const words: Readonly<Record<HostsBulk["action"], { doing: string; done: string }>> = {
  addTags: { doing: "Adding tags", done: "Tags added to" },
  removeTags: { doing: "Removing tags", done: "Tags removed from" },
  setRole: { doing: "Setting the role", done: "Role set of" },
  block: { doing: "Blocking", done: "Blocked" },
  unblock: { doing: "Unblocking", done: "Unblocked" },
  delete: { doing: "Deleting", done: "Deleted" },
};

/** How far the bulk changes are. They go on without anybody watching. The default export is for `lazy()`. */
export default function BulkProgress({ jobs }: { jobs: readonly BulkJob[] }) {
  return (
    <div className={styles.jobs}>
      {jobs.map((job) => (
        <JobProgress key={job.id} job={job} />
      ))}
    </div>
  );
}

function JobProgress({ job: { id, action } }: { job: BulkJob }) {
  const { data: job, error } = useQuery({
    ...read(getJob, { params: { jobID: id } }),
    refetchInterval: ({ state }) => (state.data?.state === "done" ? false : POLL_MS),
  });
  const isDone = job?.state === "done";
  useEffect(() => {
    if (isDone) for (const noun of ["hosts", "tags", "roles"]) void invalidateNoun(noun);
  }, [isDone]);
  const isGone = error instanceof NotFoundError;
  useEffect(() => {
    if (isGone) forgetJob(id);
  }, [isGone, id]);
  if (job && isDone) return <Ended job={job} action={action} />;
  return (
    <Notice tone="info">
      {words[action].doing}…{" "}
      {job && `${formatNumber(job.done)} of ${formatNumber(job.total)}. It goes on if you leave.`}
      <progress
        className={styles.progress}
        aria-label={words[action].doing}
        {...(job && { value: job.done, max: Math.max(job.total, 1) })}
      />
    </Notice>
  );
}

function Ended({ job, action }: { job: Job; action: HostsBulk["action"] }) {
  const isRefused = job.errors.length > 0;
  return (
    <Notice
      tone={isRefused ? "warn" : "ok"}
      actions={
        <Button size="small" onClick={() => forgetJob(job.id)}>
          Dismiss
        </Button>
      }
    >
      {isRefused
        ? `${words[action].doing} ended: not every host was changed.`
        : `${words[action].done} ${formatCount(job.total, "host")}.`}
      {isRefused && <Refusals errors={job.errors} />}
    </Notice>
  );
}

function Refusals({ errors }: Pick<Job, "errors">) {
  return (
    <details>
      <summary className={styles.summary}>Which were refused, and why</summary>
      <ul className={styles.refused}>
        {errors.map(({ id, message }) => (
          <li key={id}>
            <Link to={`${hostKinds.host.path}/${encodeURIComponent(id)}`}>
              <code>{id}</code>
            </Link>
            : {message}
          </li>
        ))}
      </ul>
    </details>
  );
}
