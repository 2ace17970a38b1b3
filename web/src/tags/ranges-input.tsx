import { useState } from "react";
import { areSame } from "../lib/same-values.ts";
import { TextArea } from "../ui/forms/field.tsx";

interface NetworksInputProps {
  value: unknown;
  onChange: (networks: string[]) => void;
}

const read = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** Networks, one in a line; what is typed stays as it was typed. */
export function NetworksInput({ value, onChange }: NetworksInputProps) {
  const networks = Array.isArray(value) ? value.map(String) : [];
  const [text, setText] = useState(networks.join("\n"));
  // Someone else has changed them: another line is being edited, or the form was reset.
  const shown = areSame(read(text), networks) ? text : networks.join("\n");
  return (
    <TextArea
      mono
      rows={3}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      placeholder={"192.168.0.0/16\n10.0.0.0/8"}
      value={shown}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(read(currentTarget.value));
      }}
    />
  );
}
