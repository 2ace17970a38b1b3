import { useState } from "react";
import { areSame } from "../lib/same-values.ts";
import { TextArea } from "../ui/forms/field.tsx";

interface RangesInputProps {
  value: unknown;
  onChange: (ranges: string[]) => void;
}

const parseRanges = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** Address ranges, one per line. Keeps the text as typed. */
export function RangesInput({ value, onChange }: RangesInputProps) {
  const ranges = Array.isArray(value) ? value.map(String) : [];
  const [text, setText] = useState(ranges.join("\n"));
  // The value differs from the text after the form was reset.
  const shown = areSame(parseRanges(text), ranges) ? text : ranges.join("\n");
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
        onChange(parseRanges(currentTarget.value));
      }}
    />
  );
}
