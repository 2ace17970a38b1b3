import { NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useId, useRef, useState, type FormEvent } from "react";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";

interface ViewNameDialogProps {
  /** The view to rename; empty for a new one. */
  name: string;
  taken: readonly string[];
  onName: (name: string) => void;
  onClose: () => void;
}

/** The default export is for `lazy()`. */
export default function ViewNameDialog({ name, taken, onName, onClose }: ViewNameDialogProps) {
  const [typed, setTyped] = useState(name);
  const formID = useId();
  const input = useRef<HTMLInputElement>(null);
  const newName = typed.trim();
  const replaces = newName !== name && taken.includes(newName);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (newName) onName(newName);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      initialFocus={input}
      title={name ? `Rename ${name}` : "Save this view"}
      description="The search, filters, order and columns are saved in this browser."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formID} variant="primary" disabled={!newName}>
            {name ? "Rename" : "Save"}
          </Button>
        </>
      }
    >
      <form id={formID} onSubmit={submit}>
        <Field label="Name" hint={replaces ? `Replaces the view ${newName}.` : undefined}>
          <TextInput
            ref={input}
            value={typed}
            maxLength={NAME_LENGTH_MAX}
            autoComplete="off"
            dir="auto"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}
