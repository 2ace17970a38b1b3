import {
  auditTargetTypes,
  auditTimeFrames,
  type AuditTargetType,
  type AuditTimeFrame,
} from "@lightkeeper/contract";
import { TARGET_ID_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type FormEvent } from "react";
import { useLocation, useNavigate, useOutletContext } from "react-router";
import { downloadBlob } from "../lib/download.ts";
import { handleShownError, messageOf } from "../lib/errors.ts";
import { formatCount, formatNumber } from "../lib/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { AUDIT_PATH } from "./audit-link.tsx";
import styles from "./audit.module.css";
import type { LogFilter } from "./audit.queries.ts";
import { exportLog, type ExportQuery, type Progress } from "./export-log.ts";
import { targetNames } from "./audit-labels.ts";

const frameNames: Readonly<Record<AuditTimeFrame, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "All time",
};

interface Values {
  format: "csv" | "ndjson";
  targetType: AuditTargetType | "";
  targetId: string;
  timeFrame: AuditTimeFrame;
}

/** Starts with the filters of the list. */
const valuesOf = ({ targetType, targetID, timeFrame }: LogFilter): Values => ({
  format: "csv",
  targetType: targetType ?? "",
  targetId: targetID ?? "",
  timeFrame: timeFrame ?? "all",
});

function toQuery({ format, targetType, targetId, timeFrame }: Values): ExportQuery {
  if (format === "ndjson") return { format };
  const id = targetId.trim();
  return { format, timeFrame, ...(targetType && { targetType }), ...(id && { targetId: id }) };
}

export function ExportDialog() {
  const [values, setValues] = useState(valuesOf(useOutletContext<LogFilter>()));
  const close = useClose();
  const formID = useId();
  const { start, stop, progress, isRunning, error } = useExport(close);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isRunning) start(toQuery(values));
  }
  return (
    <Dialog
      open
      onClose={() => void close()}
      title="Export audit log"
      actions={
        <>
          <Button onClick={() => (isRunning ? stop() : void close())}>{isRunning ? "Stop" : "Cancel"}</Button>
          <Button type="submit" form={formID} variant="primary" pending={isRunning}>
            Export
          </Button>
        </>
      }
    >
      <form id={formID} className={styles.form} onSubmit={submit}>
        <Fields
          values={values}
          isDisabled={isRunning}
          onChange={(change) => setValues({ ...values, ...change })}
        />
        {isRunning && <ExportProgress {...progress} />}
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      </form>
    </Dialog>
  );
}

/** Goes back to where the dialog was opened, or to the log with its filters. */
function useClose(): () => Promise<void> {
  const { key, search } = useLocation();
  const navigate = useNavigate();
  return async () => {
    if (key === "default") await navigate(AUDIT_PATH + search, { replace: true, preventScrollReset: true });
    else await navigate(-1);
  };
}

const initialProgress: Progress = { rows: 0, total: undefined };

/** One export at a time. Leaving the dialog aborts it. */
function useExport(onDone: () => Promise<void>) {
  const [progress, setProgress] = useState(initialProgress);
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (query: ExportQuery) => {
      const controller = new AbortController();
      running.current = controller;
      setProgress(initialProgress);
      return exportLog(query, { signal: controller.signal, onProgress: setProgress });
    },
    onSuccess: async ({ name, content, rows }) => {
      downloadBlob(name, content);
      toast(`${formatCount(rows, "entry", "entries")} exported`, { tone: "ok" });
      await onDone();
    },
    onError: (error) => {
      handleShownError(error);
      if (running.current?.signal.aborted) reset();
    },
  });
  return { start: mutate, stop, progress, isRunning: isPending, error };
}

interface FieldsProps {
  values: Values;
  isDisabled: boolean;
  onChange: (change: Partial<Values>) => void;
}

function Fields({ values, isDisabled, onChange }: FieldsProps) {
  return (
    <fieldset disabled={isDisabled} className={styles.fields}>
      <RadioGroup label="Format">
        <RadioCard
          name="format"
          value="csv"
          label="CSV"
          description="For spreadsheets, newest first."
          checked={values.format === "csv"}
          onChange={() => onChange({ format: "csv" })}
        />
        <RadioCard
          name="format"
          value="ndjson"
          label="NDJSON"
          description="The full hash chain as NDJSON, for offline verification."
          checked={values.format === "ndjson"}
          onChange={() => onChange({ format: "ndjson" })}
        />
      </RadioGroup>
      {values.format === "csv" ? (
        <FilterFields values={values} onChange={onChange} />
      ) : (
        <p className={styles.muted}>
          Verify the file with <code className={styles.code}>node scripts/verify-audit-log.mjs FILE</code>.
        </p>
      )}
    </fieldset>
  );
}

function FilterFields({ values, onChange }: Omit<FieldsProps, "isDisabled">) {
  return (
    <>
      <Field label="Type">
        <Select
          value={values.targetType}
          onChange={({ currentTarget: { value } }) => onChange({ targetType: value as Values["targetType"] })}
        >
          <option value="">All types</option>
          {auditTargetTypes.map((type) => (
            <option key={type} value={type}>
              {targetNames[type]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Time">
        <Select
          value={values.timeFrame}
          onChange={({ currentTarget: { value } }) => onChange({ timeFrame: value as AuditTimeFrame })}
        >
          {auditTimeFrames.map((frame) => (
            <option key={frame} value={frame}>
              {frameNames[frame]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Object ID" optional hint="The ID of an object, or the name of a tag.">
        <TextInput
          mono
          value={values.targetId}
          maxLength={TARGET_ID_LENGTH_MAX}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => onChange({ targetId: value })}
        />
      </Field>
    </>
  );
}

function ExportProgress({ rows, total }: Progress) {
  return (
    <div className={styles.progress}>
      <progress aria-label="Exported" value={total === undefined ? undefined : rows} max={total ?? 1} />
      <span>
        {formatNumber(rows)}
        {total !== undefined && ` of ${formatNumber(total)}`} entries
      </span>
    </div>
  );
}
