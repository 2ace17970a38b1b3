import { logLevels, type HostV2 } from "@lightkeeper/contract";
import { useState } from "react";
import { downloadText } from "../lib/download.ts";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { LogView } from "./log-view.tsx";
import styles from "./host-debug.module.css";
import { useHostLogs } from "./use-host-logs.ts";

const durations = [
  { seconds: 60, label: "1 minute" },
  { seconds: 300, label: "5 minutes" },
  { seconds: 600, label: "10 minutes" },
];

type Level = (typeof logLevels)[number];

export function DebugLogs({ host }: { host: HostV2 }) {
  const { lines, isRunning, error, start, stop, clear } = useHostLogs();
  const [level, setLevel] = useState<Level>("info");
  const [durationSeconds, setDuration] = useState(300);
  const [filter, setFilter] = useState("");
  const filterText = filter.trim().toLowerCase();
  const shown = filterText ? lines.filter(({ source }) => source.toLowerCase().includes(filterText)) : lines;
  const isEmpty = lines.length === 0;

  return (
    <Card
      title="Live log"
      actions={
        <>
          <Button size="small" onClick={clear} disabled={isEmpty}>
            Clear
          </Button>
          <Button
            size="small"
            icon={<DownloadIcon />}
            disabled={isEmpty}
            onClick={() =>
              downloadText(
                `${host.id}.ndjson`,
                lines.map(({ source }) => `${source}\n`).join(""),
                "application/x-ndjson",
              )
            }
          >
            Download
          </Button>
        </>
      }
    >
      <div className={styles.controls}>
        <Field label="Level">
          <Select
            value={level}
            disabled={isRunning}
            onChange={(event) => setLevel(event.currentTarget.value as Level)}
          >
            {logLevels.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field label="Duration">
          <Select
            value={durationSeconds}
            disabled={isRunning}
            onChange={(event) => setDuration(Number(event.currentTarget.value))}
          >
            {durations.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Filter">
          <TextInput
            value={filter}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </Field>
        {isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button variant="primary" onClick={() => void start({ hostID: host.id, level, durationSeconds })}>
            Start
          </Button>
        )}
      </div>
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      <LogView lines={shown} isRunning={isRunning} />
      <p className={styles.muted}>
        {formatCount(lines.length, "line")}
        {filterText && `, ${formatCount(shown.length, "line")} shown`}
      </p>
    </Card>
  );
}
