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

const NDJSON = "application/x-ndjson";

interface StreamOptions {
  level: (typeof logLevels)[number];
  durationSeconds: number;
}

export function DebugLogs({ host }: { host: HostV2 }) {
  const { lines, isRunning, error, start, stop, clear } = useHostLogs();
  const [options, setOptions] = useState<StreamOptions>({ level: "info", durationSeconds: 300 });
  const [filter, setFilter] = useState("");
  const filterText = filter.trim().toLowerCase();
  const shown = filterText ? lines.filter(({ source }) => source.toLowerCase().includes(filterText)) : lines;
  const isEmpty = lines.length === 0;
  function download() {
    downloadText(`${host.id}.ndjson`, lines.map(({ source }) => `${source}\n`).join(""), NDJSON);
  }

  return (
    <Card
      title="Live log"
      actions={
        <>
          <Button size="small" onClick={clear} disabled={isEmpty}>
            Clear
          </Button>
          <Button size="small" icon={<DownloadIcon />} disabled={isEmpty} onClick={download}>
            Download
          </Button>
        </>
      }
    >
      <div className={styles.controls}>
        <StreamFields options={options} onChange={setOptions} disabled={isRunning} />
        <Field label="Filter">
          <TextInput
            value={filter}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </Field>
        <StartButton
          isRunning={isRunning}
          onStart={() => void start({ hostID: host.id, ...options })}
          onStop={stop}
        />
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

interface StartButtonProps {
  isRunning: boolean;
  onStart: () => void;
  onStop: () => void;
}

function StartButton({ isRunning, onStart, onStop }: StartButtonProps) {
  if (isRunning) return <Button onClick={onStop}>Stop</Button>;
  return (
    <Button variant="primary" onClick={onStart}>
      Start
    </Button>
  );
}

interface StreamFieldsProps {
  options: StreamOptions;
  onChange: (options: StreamOptions) => void;
  disabled: boolean;
}

function StreamFields({ options, onChange, disabled }: StreamFieldsProps) {
  return (
    <>
      <Field label="Level">
        <Select
          value={options.level}
          disabled={disabled}
          onChange={({ currentTarget }) =>
            onChange({ ...options, level: currentTarget.value as StreamOptions["level"] })
          }
        >
          {logLevels.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <Field label="Duration">
        <Select
          value={options.durationSeconds}
          disabled={disabled}
          onChange={({ currentTarget }) =>
            onChange({ ...options, durationSeconds: Number(currentTarget.value) })
          }
        >
          {durations.map(({ seconds, label }) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </>
  );
}
