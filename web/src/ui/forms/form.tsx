import type { KeyboardEvent, ReactNode, SubmitEvent } from "react";

export interface FormProps {
  /** For a button outside of it. */
  id?: string | undefined;
  onSubmit: () => void;
  /** While sending, nothing is sent again. */
  pending: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** Submits by its button, by Enter in a line of text, and by ⌘Enter or Ctrl+Enter anywhere in it. */
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
