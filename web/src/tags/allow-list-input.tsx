import { useState } from "react";
import { areSame } from "../lib/same-values.ts";
import { Button } from "../ui/controls/button.tsx";
import { Select, TextInput, useField } from "../ui/forms/field.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon, PlusIcon } from "../ui/base/icons.tsx";
import styles from "./overrides.module.css";

interface AllowListInputProps {
  value: unknown;
  onChange: (value: Record<string, unknown>) => void;
  hasInterfaces: boolean;
}

interface Line {
  id: number;
  kind: "range" | "interface";
  pattern: string;
  allow: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toLines(value: unknown): Line[] {
  const { interfaces, ...ranges } = isRecord(value) ? value : {};
  const linesOf = (list: Record<string, unknown>, kind: Line["kind"]) =>
    Object.entries(list).map(([pattern, allow]) => ({ kind, pattern, allow: allow === true }));
  const lines = [
    ...linesOf(isRecord(interfaces) ? interfaces : {}, "interface"),
    ...linesOf(ranges, "range"),
  ];
  return lines.map((line, id) => ({ id, ...line }));
}

function toValue(lines: readonly Line[], hasInterfaces: boolean): Record<string, unknown> {
  const listOf = (kind: Line["kind"]) =>
    Object.fromEntries(
      lines
        .filter((line) => line.kind === kind && line.pattern !== "")
        .map(({ pattern, allow }) => [pattern, allow]),
    );
  return { ...(hasInterfaces && { interfaces: listOf("interface") }), ...listOf("range") };
}

const kinds = {
  range: { noun: "address range", label: "Address range", example: "192.168.0.0/16" },
  interface: { noun: "interface", label: "Interface pattern", example: "docker.*" },
};

/** Address ranges and patterns of interface names, each allowed or denied. */
export function AllowListInput({ value, onChange, hasInterfaces }: AllowListInputProps) {
  const [lines, setLines] = useState(() => toLines(value));
  // The value can't represent empty or duplicate lines, so the lines are kept here.
  const shown = areSame(toValue(lines, hasInterfaces), value) ? lines : toLines(value);
  const [added, setAdded] = useState<number>();
  const field = useField();

  function set(next: Line[]) {
    setLines(next);
    onChange(toValue(next, hasInterfaces));
  }
  const change = (index: number, part: Partial<Line>) =>
    set(shown.map((line, lineIndex) => (lineIndex === index ? { ...line, ...part } : line)));
  const nextID = Math.max(-1, ...shown.map(({ id }) => id)) + 1;
  function add(kind: Line["kind"]) {
    setAdded(nextID);
    set([...shown, { id: nextID, kind, pattern: "", allow: true }]);
  }

  return (
    <div id={field?.id} className={styles.allowList}>
      {shown.map((line, index) => (
        <LineFields
          key={line.id}
          line={line}
          number={index + 1}
          isNew={line.id === added}
          onChange={(part) => change(index, part)}
          onRemove={() => set(shown.toSpliced(index, 1))}
        />
      ))}
      <div className={styles.addButtons}>
        <Button size="small" icon={<PlusIcon />} onClick={() => add("range")}>
          Add address range
        </Button>
        {hasInterfaces && (
          <Button size="small" icon={<PlusIcon />} onClick={() => add("interface")}>
            Add interface
          </Button>
        )}
      </div>
    </div>
  );
}

interface LineFieldsProps {
  line: Line;
  number: number;
  isNew: boolean;
  onChange: (part: Partial<Line>) => void;
  onRemove: () => void;
}

function LineFields({ line: { kind, pattern, allow }, number, isNew, onChange, onRemove }: LineFieldsProps) {
  const { noun, label, example } = kinds[kind];
  return (
    <div className={styles.line}>
      <TextInput
        id={undefined}
        mono
        aria-label={`${label} ${number}`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus={isNew}
        placeholder={example}
        value={pattern}
        onChange={(event) => onChange({ pattern: event.currentTarget.value })}
      />
      <Select
        id={undefined}
        aria-label={`Access for ${pattern || noun}`}
        value={allow ? "allowed" : "denied"}
        onChange={(event) => onChange({ allow: event.currentTarget.value === "allowed" })}
      >
        <option value="allowed">Allowed</option>
        <option value="denied">Denied</option>
      </Select>
      <IconButton label={`Remove ${pattern || noun}`} icon={<CloseIcon />} onClick={onRemove} />
    </div>
  );
}
