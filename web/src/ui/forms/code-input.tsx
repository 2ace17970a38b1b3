import type { ChangeEvent, ComponentProps } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./code-input.module.css";
import { useField } from "./field.tsx";

const codeDigits = 6;

export interface CodeInputProps extends Omit<ComponentProps<"input">, "type" | "maxLength"> {
  /** Called when the last digit has been typed or pasted. */
  onComplete?: ((code: string) => void) | undefined;
}

/** A one-time code. Other characters around the digits ("123 456") are removed. */
export function CodeInput({ onChange, onComplete, className, ...props }: CodeInputProps) {
  function keepDigits(event: ChangeEvent<HTMLInputElement>) {
    const input = event.currentTarget;
    const code = input.value.replace(/\D/g, "").slice(0, codeDigits);
    if (code !== input.value) input.value = code;
    onChange?.(event);
    if (code.length === codeDigits) onComplete?.(code);
  }
  return (
    <input
      {...useField()}
      {...props}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      onChange={keepDigits}
      className={classNames(styles.input, className)}
    />
  );
}
