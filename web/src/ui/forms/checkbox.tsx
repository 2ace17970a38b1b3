import { useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./checkbox.module.css";
import { FieldDescription } from "./field.tsx";

export interface CheckboxInputProps extends Omit<ComponentProps<"input">, "type" | "ref"> {
  /** Some of the items that it stands for are checked. */
  indeterminate?: boolean | undefined;
}

/** The checkbox without a label: set `aria-label`. */
export function CheckboxInput({ indeterminate = false, className, ...props }: CheckboxInputProps) {
  return (
    <input
      {...props}
      ref={(input) => {
        if (input) input.indeterminate = indeterminate;
      }}
      type="checkbox"
      className={classNames(styles.box, styles.alone, className)}
    />
  );
}

export interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
}

export function Checkbox({ label, hint, error, ...props }: CheckboxProps) {
  const id = useId();
  const described = hint || error ? `${id}-description` : undefined;
  return (
    <div className={styles.checkbox}>
      <input
        id={id}
        {...props}
        type="checkbox"
        className={styles.box}
        aria-describedby={described}
        aria-invalid={error ? true : undefined}
      />
      <div className={styles.labels}>
        <label className={styles.label} htmlFor={props.id ?? id}>
          {label}
        </label>
        <FieldDescription id={described} hint={hint} error={error} />
      </div>
    </div>
  );
}
