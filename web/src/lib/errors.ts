/** Shows the entries of a failed call on their fields or on the form as a whole, and reports unexpected ones. */
import { AuthError, InvalidResponseError, ValidationError, type FieldError } from "@lightkeeper/contract";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { tooManyRequests, type Rule } from "./messages.ts";
import { reportError } from "./report.ts";

/** A react-hook-form: entries with a path are set on that field, the others on `root`. */
export type FormTarget<Values extends FieldValues> = Pick<UseFormReturn<Values>, "setError" | "getValues">;

const handled = new WeakSet<object>();

/** Marks an error as shown to the person, or as handled by navigating. */
export function markHandled(error: unknown): void {
  if (typeof error === "object" && error !== null) handled.add(error);
}

export function isHandled(error: unknown): boolean {
  return typeof error === "object" && error !== null && handled.has(error);
}

/** Errors that the current user query and the guards handle by redirecting to the login page. */
export function leadsToSignIn(error: unknown): boolean {
  return error instanceof AuthError && error.code !== "ERR_2FA_RENEWAL_REQUIRED";
}

const applies = ({ codes, path }: Rule, entry: FieldError) =>
  codes.includes(entry.code) && (path === undefined || path === (entry.path || null));

/** The server may omit the path of a field's entry. */
const appliesWithoutPath = ({ codes, path }: Rule, entry: FieldError) =>
  !entry.path && typeof path === "string" && codes.includes(entry.code);

function findRule(rules: readonly Rule[], entry: FieldError): Rule | undefined {
  return (
    rules.find((rule) => applies(rule, entry)) ??
    rules.find((rule) => appliesWithoutPath(rule, entry)) ??
    (applies(tooManyRequests, entry) ? tooManyRequests : undefined)
  );
}

/** Replaces the messages of a validation error that a rule rewords. Any other error is returned unchanged. */
export function reword<E>(error: E, rules: readonly Rule[]): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) {
    const rule = entry.reworded ? undefined : findRule(rules, entry);
    if (!rule) continue;
    entry.message = typeof rule.message === "string" ? rule.message : rule.message(entry);
    entry.reworded = true;
  }
  return error;
}

/** An entry shown away from its field. A message of the server is unclear without the path. */
const describeEntry = ({ path, message, reworded }: FieldError) =>
  path && !reworded ? `${path}: ${message}` : message;

/** A bug in the console. It is reported; people see only that something went wrong. */
export class InternalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InternalError";
  }
}

const SOMETHING_WENT_WRONG =
  "Something went wrong in the console. Our team has been notified. Reload the page and try again.";

/** Errors of JavaScript and the browser, whose messages mean nothing to people. */
export const isInternal = (error: Error) =>
  [InternalError, TypeError, SyntaxError, RangeError, ReferenceError, DOMException].some(
    (kind) => error instanceof kind,
  );

/** The text of an error for a place without fields, such as a dialog: every entry on its own line. */
export function messageOf(error: Error): string {
  if (isInternal(error)) return SOMETHING_WENT_WRONG;
  if (!(error instanceof ValidationError)) return error.message;
  return error.fieldErrors.map(describeEntry).join("\n");
}

export function findEntry(error: unknown, code: string): FieldError | undefined {
  if (!(error instanceof ValidationError)) return undefined;
  return error.fieldErrors.find((entry) => entry.code === code);
}

export const hasCode = (error: unknown, code: string): boolean => findEntry(error, code) !== undefined;

/** Returns a function that sets an entry on its field and returns false if the form has no such field. */
function createFieldSetter<Values extends FieldValues>({ setError, getValues }: FormTarget<Values>) {
  const messages = new Map<string, string>();
  return ({ path, code, message }: FieldError): boolean => {
    const field = path?.split(/[.[]/, 1)[0];
    if (!path || !field || !Object.hasOwn(getValues(), field)) return false;
    const shouldFocus = messages.size === 0 || messages.keys().next().value === path;
    messages.set(path, messages.has(path) ? `${messages.get(path)}\n${message}` : message);
    setError(
      path as FieldPath<Values>,
      { type: code, message: messages.get(path) ?? message },
      { shouldFocus },
    );
    return true;
  };
}

/** Reports, once, the entries that have neither a field nor a rule, and those shown with the server's message. */
function report(error: ValidationError, withoutField: FieldError[]): void {
  if (error.reported) return;
  error.reported = true;
  const { requestID } = error;
  const fellThrough = withoutField.filter((entry) => !entry.reworded);
  const notReworded = error.fieldErrors.filter((entry) => !entry.reworded && !withoutField.includes(entry));
  for (const entry of fellThrough) {
    const message = entry.path
      ? `Error on field ${entry.path} fell through`
      : "Error without path fell through";
    reportError(new Error(message), { requestID, errors: [entry] });
  }
  if (notReworded.length > 0) reportError(error, { requestID, errors: notReworded });
}

/**
 * Handles the error of a form's call. Entries are set on their fields, all others on the form as a whole. Any error
 * other than a validation error is shown in a browser alert.
 */
export function handleFormError<Values extends FieldValues>(error: unknown, form: FormTarget<Values>): void {
  if (!(error instanceof ValidationError)) return showInAlert(error);
  markHandled(error);
  const setOnField = createFieldSetter(form);
  const withoutField = error.fieldErrors.filter((entry) => !setOnField(entry));
  const [first] = withoutField;
  if (first) form.setError("root", { type: first.code, message: withoutField.map(describeEntry).join("\n") });
  report(error, withoutField);
}

/** Handles the error of a dialog's or button's call. The caller shows `messageOf`. */
export function handleShownError(error: Error, rules: readonly Rule[] = []): void {
  markHandled(error);
  reword(error, rules);
  if (error instanceof ValidationError) report(error, error.fieldErrors);
  else if (isInternal(error) || error instanceof InvalidResponseError) reportError(error);
}

/** The message of a validation error, for the page to show. Any other error is shown in an alert. */
export function shownMessageOrAlert(error: unknown, rules: readonly Rule[]): string | undefined {
  if (!(error instanceof ValidationError)) {
    showInAlert(error);
    return undefined;
  }
  handleShownError(error, rules);
  return messageOf(error);
}

/** The last resort for an error that nothing else has handled. */
export function showInAlert(error: unknown): void {
  markHandled(error);
  if (leadsToSignIn(error)) return;
  if (error instanceof Error) handleShownError(error);
  window.alert(error instanceof Error ? messageOf(error) : String(error));
}
