import { getJob, NotFoundError, type HostsBulk, type Job } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { invalidateNoun, read } from "../lib/query.ts";
import { ViolationPreview } from "../preview/violation-preview.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { removeJob, type BulkJob } from "./bulk-jobs.ts";
import { hostKinds } from "../references/host-link.tsx";
import styles from "./bulk.module.css";

const POLL_MS = 700;

const labels: Readonly<Record<HostsBulk["action"], { doing: string; done: string }>> = {
  addTags: { doing: "Adding tags", done: "Tags added to" },
  removeTags: { doing: "Removing tags", done: "Tags removed from" },
  setRole: { doing: "Setting the role", done: "Role set on" },
  block: { doing: "Blocking", done: "Blocked" },
  unblock: { doing: "Unblocking", done: "Unblocked" },
  delete: { doing: "Deleting", done: "Deleted" },
};

/** Progress of bulk changes, which continue on the server if the page is closed. The default export is for `lazy()`. */
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
    if (isGone) removeJob(id);
  }, [isGone, id]);
  if (job && isDone) return <JobResult job={job} action={action} />;
  return (
    <Notice tone="info">
      {labels[action].doing}…{" "}
      {job && `${formatNumber(job.done)} of ${formatNumber(job.total)}. You can leave this page.`}
      <progress
        className={styles.progress}
        aria-label={labels[action].doing}
        {...(job && { value: job.done, max: Math.max(job.total, 1) })}
      />
    </Notice>
  );
}

function JobResult({ job, action }: { job: Job; action: HostsBulk["action"] }) {
  const hasErrors = job.errors.length > 0;
  return (
    <Notice
      tone={hasErrors ? "warn" : "ok"}
      actions={
        <Button size="small" onClick={() => removeJob(job.id)}>
          Dismiss
        </Button>
      }
    >
      {hasErrors
        ? `${labels[action].doing} finished, but some hosts weren’t changed.`
        : `${labels[action].done} ${formatCount(job.total, "host")}.`}
      {hasErrors && <JobErrors errors={job.errors} />}
    </Notice>
  );
}

function JobErrors({ errors }: Pick<Job, "errors">) {
  return (
    <details>
      <summary className={styles.summary}>Show errors</summary>
      <ul className={styles.errors}>
        {errors.map(({ id, message, guarantees }) => (
          <li key={id}>
            <Link to={`${hostKinds.host.path}/${encodeURIComponent(id)}`}>
              <code>{id}</code>
            </Link>
            : {guarantees ? <ViolationPreview guarantees={guarantees} /> : message}
          </li>
        ))}
      </ul>
    </details>
  );
}
