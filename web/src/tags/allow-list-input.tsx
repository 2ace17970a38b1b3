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
  kind: "network" | "interface";
  what: string;
  allow: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toLines(value: unknown): Line[] {
  const { interfaces, ...networks } = isRecord(value) ? value : {};
  const linesOf = (list: Record<string, unknown>, kind: Line["kind"]) =>
    Object.entries(list).map(([what, allow]) => ({ kind, what, allow: allow === true }));
  const lines = [
    ...linesOf(isRecord(interfaces) ? interfaces : {}, "interface"),
    ...linesOf(networks, "network"),
  ];
  return lines.map((line, id) => ({ id, ...line }));
}

function toValue(lines: readonly Line[], hasInterfaces: boolean): Record<string, unknown> {
  const listOf = (kind: Line["kind"]) =>
    Object.fromEntries(
      lines.filter((line) => line.kind === kind && line.what !== "").map(({ what, allow }) => [what, allow]),
    );
  return { ...(hasInterfaces && { interfaces: listOf("interface") }), ...listOf("network") };
}

const words = {
  network: { noun: "network", label: "Network", example: "192.168.0.0/16" },
  interface: { noun: "interface", label: "Interface pattern", example: "docker.*" },
};

/** Networks, and patterns of interface names, each allowed or not. */
export function AllowListInput({ value, onChange, hasInterfaces }: AllowListInputProps) {
  const [lines, setLines] = useState(() => toLines(value));
  // A line may say nothing yet, or what another says, which the value cannot hold.
  const shown = areSame(toValue(lines, hasInterfaces), value) ? lines : toLines(value);
  const [added, setAdded] = useState<number>();
  const field = useField();

  function set(next: Line[]) {
    setLines(next);
    onChange(toValue(next, hasInterfaces));
  }
  const change = (index: number, part: Partial<Line>) =>
    set(shown.map((line, at) => (at === index ? { ...line, ...part } : line)));
  const nextID = Math.max(-1, ...shown.map(({ id }) => id)) + 1;
  function add(kind: Line["kind"]) {
    setAdded(nextID);
    set([...shown, { id: nextID, kind, what: "", allow: true }]);
  }

  return (
    <div id={field?.id} className={styles.allowList}>
      {shown.map((line, index) => (
        <LineFields
          key={line.id}
          line={line}
          place={index + 1}
          isNew={line.id === added}
          onChange={(part) => change(index, part)}
          onRemove={() => set(shown.toSpliced(index, 1))}
        />
      ))}
      <div className={styles.adds}>
        <Button size="small" icon={<PlusIcon />} onClick={() => add("network")}>
          Add network
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
  place: number;
  isNew: boolean;
  onChange: (part: Partial<Line>) => void;
  onRemove: () => void;
}

function LineFields({ line: { kind, what, allow }, place, isNew, onChange, onRemove }: LineFieldsProps) {
  const { noun, label, example } = words[kind];
  return (
    <div className={styles.line}>
      <TextInput
        id={undefined}
        mono
        aria-label={`${label} ${place}`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus={isNew}
        placeholder={example}
        value={what}
        onChange={(event) => onChange({ what: event.currentTarget.value })}
      />
      <Select
        id={undefined}
        aria-label={`${what || noun} is`}
        value={allow ? "allowed" : "not"}
        onChange={(event) => onChange({ allow: event.currentTarget.value === "allowed" })}
      >
        <option value="allowed">Allowed</option>
        <option value="not">Not allowed</option>
      </Select>
      <IconButton label={`Remove ${what || noun}`} icon={<CloseIcon />} onClick={onRemove} />
    </div>
  );
}
