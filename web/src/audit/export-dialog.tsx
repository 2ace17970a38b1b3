import {
  auditTargetTypes,
  auditTimeFrames,
  type AuditTargetType,
  type AuditTimeFrame,
} from "@lightkeeper/contract";
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
import { targetNames } from "./sentences.ts";

const frameNames: Readonly<Record<AuditTimeFrame, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "Everything",
};

interface Values {
  format: "csv" | "ndjson";
  targetType: AuditTargetType | "";
  targetId: string;
  timeFrame: AuditTimeFrame;
}

/** What the list shows is what one most likely wants. */
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
        {isRunning && <HowFar {...progress} />}
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      </form>
    </Dialog>
  );
}

/** Back to where it was opened, or to the page it stands over, with what that was narrowed to. */
function useClose(): () => Promise<void> {
  const { key, search } = useLocation();
  const navigate = useNavigate();
  return async () => {
    if (key === "default") await navigate(AUDIT_PATH + search, { replace: true, preventScrollReset: true });
    else await navigate(-1);
  };
}

const nothing: Progress = { rows: 0, total: undefined };

/** One export at a time; leaving ends it. */
function useExport(onDone: () => Promise<void>) {
  const [progress, setProgress] = useState(nothing);
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (query: ExportQuery) => {
      const controller = new AbortController();
      running.current = controller;
      setProgress(nothing);
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
          label="Proof"
          description="The whole chain with its hashes, as NDJSON, to be verified without us."
          checked={values.format === "ndjson"}
          onChange={() => onChange({ format: "ndjson" })}
        />
      </RadioGroup>
      {values.format === "csv" ? (
        <Narrowing values={values} onChange={onChange} />
      ) : (
        <p className={styles.muted}>
          Verify the file with <code className={styles.code}>node scripts/verify-audit-log.mjs FILE</code>.
        </p>
      )}
    </fieldset>
  );
}

function Narrowing({ values, onChange }: Omit<FieldsProps, "isDisabled">) {
  return (
    <>
      <Field label="Entries of">
        <Select
          value={values.targetType}
          onChange={({ currentTarget: { value } }) => onChange({ targetType: value as Values["targetType"] })}
        >
          <option value="">Everything</option>
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
      <Field label="Only this thing" optional hint="Its ID, or the name of a tag.">
        <TextInput
          mono
          value={values.targetId}
          maxLength={255}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => onChange({ targetId: value })}
        />
      </Field>
    </>
  );
}

function HowFar({ rows, total }: Progress) {
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
