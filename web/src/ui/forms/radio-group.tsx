import { createContext, use, useId, type ComponentProps, type ReactNode } from "react";
import { FieldDescription } from "./field.tsx";
import styles from "./radio-group.module.css";

const InvalidContext = createContext(false);

export interface RadioGroupProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

export function RadioGroup({ label, hint, error, children }: RadioGroupProps) {
  const id = useId();
  const described = hint || error ? id : undefined;
  return (
    <fieldset className={styles.group} aria-describedby={described}>
      <legend className={styles.legend}>{label}</legend>
      <div className={styles.cards}>
        <InvalidContext value={error !== undefined}>{children}</InvalidContext>
      </div>
      <FieldDescription id={described} hint={hint} error={error} />
    </fieldset>
  );
}

export interface RadioCardProps extends Omit<ComponentProps<"input">, "type" | "value"> {
  value: string;
  label: ReactNode;
  description?: ReactNode;
  /** Shown at the right, such as a price. */
  aside?: ReactNode;
}

export function RadioCard({ label, description, aside, ...props }: RadioCardProps) {
  const id = useId();
  const invalid = use(InvalidContext);
  return (
    <label className={styles.card}>
      <input
        {...props}
        type="radio"
        className={styles.radio}
        aria-labelledby={`${id}-label`}
        aria-describedby={description ? `${id}-description` : undefined}
        data-invalid={invalid || undefined}
      />
      <span className={styles.labels}>
        <span className={styles.label} id={`${id}-label`}>
          {label}
          {aside && <span className={styles.aside}>{aside}</span>}
        </span>
        {description && (
          <span className={styles.description} id={`${id}-description`}>
            {description}
          </span>
        )}
      </span>
    </label>
  );
}
