import type { ReactNode, Ref } from "react";

/** What a picker of any noun takes: the props of a form library's field, and the words around it. */
export interface PickerProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  onBlur?: (() => void) | undefined;
  name?: string | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean | undefined;
  disabled?: boolean | undefined;
  autoFocus?: boolean | undefined;
  placeholder?: string | undefined;
}
