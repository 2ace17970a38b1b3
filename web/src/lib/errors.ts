/** Where a failed call's entries go: to their fields, reworded where we have better words, else to the team. */
import { AuthError, ValidationError, type FieldError } from "@lightkeeper/contract";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import type { Rule } from "./messages.ts";
import { reportError } from "./report.ts";

/** By path; `""` takes the entries without one. A handler that answers false has not taken the entry. */
export type FieldHandlers = Record<string, (entry: FieldError) => boolean | void>;
/** Of a react-hook-form: entries land on its fields, those without a path on `root`. */
export type FormTarget<Values extends FieldValues> = Pick<UseFormReturn<Values>, "setError" | "getValues">;

const handled = new WeakSet<object>();

/** Says that the person has been told of this error, or is being taken where it leads. */
export function markHandled(error: unknown): void {
  if (typeof error === "object" && error !== null) handled.add(error);
}

export function isHandled(error: unknown): boolean {
  return typeof error === "object" && error !== null && handled.has(error);
}

/** The current user and the guards deal with these: the person is on the way to the sign-in. */
export function leadsToSignIn(error: unknown): boolean {
  return error instanceof AuthError && error.code !== "ERR_2FA_RENEWAL_REQUIRED";
}

const answers = ({ codes, path }: Rule, entry: FieldError) =>
  codes.includes(entry.code) && (path === undefined || path === (entry.path || null));

/** Gives the entries of a validation error our words. Any other error comes back untouched. */
export function reword<E>(error: E, rules: readonly Rule[]): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) {
    const rule = rules.find((one) => answers(one, entry));
    if (!rule) continue;
    entry.message = typeof rule.message === "string" ? rule.message : rule.message(entry);
    entry.reworded = true;
  }
  return error;
}

/** The first message of an error that is shown in one place, such as a dialog. */
export function messageOf(error: Error): string {
  return error instanceof ValidationError ? (error.fieldErrors[0]?.message ?? error.message) : error.message;
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ValidationError && error.fieldErrors.some((entry) => entry.code === code);
}

const isForm = <Values extends FieldValues>(
  to: FieldHandlers | FormTarget<Values>,
): to is FormTarget<Values> => "setError" in to && "getValues" in to;

function formTaker<Values extends FieldValues>({ setError, getValues }: FormTarget<Values>) {
  let focused = false;
  return ({ path, code, message }: FieldError): boolean => {
    if (!path) {
      setError("root", { type: code, message });
      return true;
    }
    const field = path.split(/[.[]/, 1)[0] ?? path;
    if (!(field in getValues())) return false;
    setError(path as FieldPath<Values>, { type: code, message }, { shouldFocus: !focused });
    focused = true;
    return true;
  };
}

const handlersTaker = (handlers: FieldHandlers) => (entry: FieldError) => {
  const path = entry.path ?? "";
  return Object.hasOwn(handlers, path) && handlers[path]?.(entry) !== false;
};

function report(error: ValidationError, fellThrough: FieldError[]): void {
  if (error.reported) return;
  error.reported = true;
  const { requestID } = error;
  for (const entry of fellThrough) {
    const what = entry.path ? `Error on field ${entry.path} fell through` : "Error without path fell through";
    reportError(new Error(what), { requestID, errors: [entry] });
  }
  const inServersWords = error.fieldErrors.filter((entry) => !entry.reworded && !fellThrough.includes(entry));
  if (inServersWords.length > 0) reportError(error, { requestID, errors: inServersWords });
}

/**
 * Handles what a form's call threw. Entries nobody takes, and entries shown in the server's own words, are
 * reported once. Any other error is said in a browser alert.
 */
export function handleFormError<Values extends FieldValues>(
  error: unknown,
  to: FieldHandlers | FormTarget<Values>,
): void {
  if (!(error instanceof ValidationError)) return showInAlert(error);
  markHandled(error);
  const take = isForm(to) ? formTaker(to) : handlersTaker(to);
  const fellThrough = error.fieldErrors.filter((entry) => !take(entry));
  const unseen = fellThrough.length === error.fieldErrors.length ? fellThrough[0] : undefined;
  // Otherwise nothing on the form would show that the call failed.
  if (unseen && isForm(to)) to.setError("root", { type: unseen.code, message: unseen.message });
  report(error, fellThrough);
}

/** The last resort for an error nothing else has handled. */
export function showInAlert(error: unknown): void {
  markHandled(error);
  if (leadsToSignIn(error)) return;
  if (error instanceof ValidationError) report(error, error.fieldErrors);
  window.alert(error instanceof Error ? error.message : String(error));
}
