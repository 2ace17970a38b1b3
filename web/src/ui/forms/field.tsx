import {
  createContext,
  use,
  useId,
  useMemo,
  type ComponentProps,
  type ReactNode,
  type WheelEvent,
} from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./field.module.css";

interface FieldWiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

const FieldContext = createContext<FieldWiring | undefined>(undefined);

interface Description {
  hint?: ReactNode;
  /** Replaces the hint and is announced. */
  error?: string | undefined;
}

export interface FieldProps extends Description {
  label: ReactNode;
  optional?: boolean | undefined;
  children: ReactNode;
}

/** Labels and describes the control inside it, and marks it as invalid. */
export function Field({ label, optional, hint, error, children }: FieldProps) {
  const id = useId();
  const described = hint || error ? `${id}-description` : undefined;
  const invalid = error ? true : undefined;
  const wiring = useMemo<FieldWiring>(
    () => ({ id, "aria-describedby": described, "aria-invalid": invalid }),
    [id, described, invalid],
  );
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional && <span className={styles.optional}> optional</span>}
      </label>
      <FieldContext value={wiring}>{children}</FieldContext>
      <FieldDescription id={described} hint={hint} error={error} />
    </div>
  );
}

export function FieldDescription({ id, hint, error }: Description & { id: string | undefined }) {
  if (error)
    return (
      <p id={id} role="alert" className={styles.error}>
        {error}
      </p>
    );
  return hint ? (
    <p id={id} className={styles.hint}>
      {hint}
    </p>
  ) : null;
}

/** The attributes of a control inside a Field, for custom controls. */
export function useField() {
  return use(FieldContext);
}

interface Mono {
  /** For addresses, IDs and other exact strings. */
  mono?: boolean | undefined;
}

export function TextInput({ mono, className, ...props }: ComponentProps<"input"> & Mono) {
  return (
    <input
      type="text"
      {...useField()}
      {...props}
      className={classNames(styles.input, mono && styles.mono, className)}
    />
  );
}

export function TextArea({ mono, className, ...props }: ComponentProps<"textarea"> & Mono) {
  return (
    <textarea
      rows={4}
      {...useField()}
      {...props}
      className={classNames(styles.input, styles.area, mono && styles.mono, className)}
    />
  );
}

export function Select({ className, ...props }: ComponentProps<"select">) {
  return <select {...useField()} {...props} className={classNames(styles.input, styles.select, className)} />;
}

export function NumberInput({ onWheel, className, ...props }: Omit<ComponentProps<"input">, "type">) {
  // Scrolling the page must not change a value under the pointer.
  function handleWheel(event: WheelEvent<HTMLInputElement>) {
    event.currentTarget.blur();
    onWheel?.(event);
  }
  return (
    <input
      inputMode="numeric"
      {...useField()}
      {...props}
      type="number"
      onWheel={handleWheel}
      className={classNames(styles.input, styles.number, className)}
    />
  );
}
