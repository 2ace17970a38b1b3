import { useId, useRef, useState, type FormEvent, type ReactNode, type Ref } from "react";
import { Button } from "../controls/button.tsx";
import styles from "./confirm-dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { Field, TextInput } from "../forms/field.tsx";
import { Notice } from "../feedback/notice.tsx";

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  /** The action and the object: "Delete network Production?" */
  title: ReactNode;
  /** What will happen. */
  consequence: ReactNode;
  /** The action: "Delete network". */
  confirmLabel: string;
  danger?: boolean | undefined;
  /** Options of the action. */
  children?: ReactNode;
  /** Data that is required before confirming is still loading. */
  loading?: boolean | undefined;
  /** A required option isn't chosen yet. */
  undecided?: boolean | undefined;
  /** The button stays disabled until this name is typed. A name that is required later doesn't take the focus. */
  typedName?: string | undefined;
  pending?: boolean | undefined;
  /** Why the action failed. */
  error?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  if (!props.open) return null;
  return <OpenConfirmDialog {...props} />;
}

function OpenConfirmDialog(props: ConfirmDialogProps) {
  const { onClose, onConfirm, title, consequence, confirmLabel, danger, typedName, pending, error } = props;
  const { children, loading = false, undecided = false } = props;
  const [typed, setTyped] = useState("");
  const formID = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  const nameInput = useRef<HTMLInputElement>(null);
  const [isNameFirst] = useState(typedName !== undefined);
  const locked = loading || undecided || (typedName !== undefined && typed.trim() !== typedName);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!locked && !pending) onConfirm();
  }

  return (
    <Dialog
      open
      alert
      onClose={onClose}
      title={title}
      description={consequence}
      initialFocus={isNameFirst ? nameInput : cancel}
      actions={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formID}
            variant={danger ? "danger" : "primary"}
            disabled={locked}
            pending={pending}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formID} className={styles.form} onSubmit={submit}>
        {children}
        {typedName !== undefined && (
          <NameField ref={nameInput} name={typedName} value={typed} onChange={setTyped} />
        )}
        {error && <Notice tone="danger">{error}</Notice>}
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  ref: Ref<HTMLInputElement>;
  name: string;
  value: string;
  onChange: (value: string) => void;
}

function NameField({ ref, name, value, onChange }: NameFieldProps) {
  return (
    <Field
      label={
        <>
          Type <strong className={styles.name}>{name}</strong> to confirm
        </>
      }
    >
      <TextInput
        ref={ref}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </Field>
  );
}
