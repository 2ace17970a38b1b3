import type { KeyboardEvent, ReactNode, SubmitEvent } from "react";

export interface FormProps {
  /** For a submit button outside the form. */
  id?: string | undefined;
  onSubmit: () => void;
  /** While true, the form can't be submitted again. */
  pending: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** Submits with its button, with Enter in a text input, and with ⌘Enter or Ctrl+Enter anywhere. */
export function Form({ id, onSubmit, pending, className, children }: FormProps) {
  function submit(event: SubmitEvent | KeyboardEvent) {
    event.preventDefault();
    if (!pending) onSubmit();
  }
  function submitOnCommandEnter(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
  }
  return (
    <form id={id} noValidate className={className} onSubmit={submit} onKeyDown={submitOnCommandEnter}>
      {children}
    </form>
  );
}
