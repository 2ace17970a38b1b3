/** Where the entries of a failed call go: to their fields or to the form as a whole, and to error reporting. */
import { AuthError, InvalidResponseError, ValidationError, type FieldError } from "@lightkeeper/contract";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { tooManyRequests, type Rule } from "./messages.ts";
import { reportError } from "./report.ts";

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

const applies = ({ codes, path }: Rule, entry: FieldError) =>
  codes.includes(entry.code) && (path === undefined || path === (entry.path || null));

/** The server may leave out the path of a field's entry. */
const appliesWithoutPath = ({ codes, path }: Rule, entry: FieldError) =>
  !entry.path && typeof path === "string" && codes.includes(entry.code);

function findRule(rules: readonly Rule[], entry: FieldError): Rule | undefined {
  return (
    rules.find((rule) => applies(rule, entry)) ??
    rules.find((rule) => appliesWithoutPath(rule, entry)) ??
    (applies(tooManyRequests, entry) ? tooManyRequests : undefined)
  );
}

/** Replaces the messages of a validation error where a rule has a better one. Any other error is returned unchanged. */
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

/** An entry shown away from its field. The server's own words need the path to be understood. */
const describeEntry = ({ path, message, reworded }: FieldError) =>
  path && !reworded ? `${path}: ${message}` : message;

/** A mistake in the console itself. It is reported; people see no more than that something went wrong. */
export class InternalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InternalError";
  }
}

const SOMETHING_WENT_WRONG =
  "Something went wrong in the console. Our team has been notified. Reload the page and try again.";

/** Errors of the language and the browser, whose text means nothing to people. */
export const isInternal = (error: Error) =>
  [InternalError, TypeError, SyntaxError, RangeError, ReferenceError, DOMException].some(
    (kind) => error instanceof kind,
  );

/** What to show of an error in one place, such as a dialog: every entry, one per line. */
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

/** Sets an entry on its field. Answers whether the form has that field. */
function fieldTaker<Values extends FieldValues>({ setError, getValues }: FormTarget<Values>) {
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

/** Reports, once, the entries that have neither a field nor a rule, and those shown in the server's own words. */
function report(error: ValidationError, withoutField: FieldError[]): void {
  if (error.reported) return;
  error.reported = true;
  const { requestID } = error;
  const [fellThrough, inServersWords] = [
    withoutField.filter((entry) => !entry.reworded),
    error.fieldErrors.filter((entry) => !entry.reworded && !withoutField.includes(entry)),
  ];
  for (const entry of fellThrough) {
    const what = entry.path ? `Error on field ${entry.path} fell through` : "Error without path fell through";
    reportError(new Error(what), { requestID, errors: [entry] });
  }
  if (inServersWords.length > 0) reportError(error, { requestID, errors: inServersWords });
}

/**
 * Handles what a form's call threw. Entries land on their fields, all others on the form as a whole. Any error but a
 * validation error is shown in a browser alert.
 */
export function handleFormError<Values extends FieldValues>(error: unknown, form: FormTarget<Values>): void {
  if (!(error instanceof ValidationError)) return showInAlert(error);
  markHandled(error);
  const take = fieldTaker(form);
  const withoutField = error.fieldErrors.filter((entry) => !take(entry));
  const [first] = withoutField;
  if (first) form.setError("root", { type: first.code, message: withoutField.map(describeEntry).join("\n") });
  report(error, withoutField);
}

/** Handles what a dialog's or a button's call threw: a form without fields. The caller shows `messageOf`. */
export function handleShownError(error: Error, rules: readonly Rule[] = []): void {
  markHandled(error);
  reword(error, rules);
  if (error instanceof ValidationError) report(error, error.fieldErrors);
  else if (isInternal(error) || error instanceof InvalidResponseError) reportError(error);
}

/** What a page shows of a validation error. Any other error is shown in an alert. */
export function refusalOrAlert(error: unknown, rules: readonly Rule[]): string | undefined {
  if (!(error instanceof ValidationError)) {
    showInAlert(error);
    return undefined;
  }
  handleShownError(error, rules);
  return messageOf(error);
}

/** The last resort for an error nothing else has handled. */
export function showInAlert(error: unknown): void {
  markHandled(error);
  if (leadsToSignIn(error)) return;
  if (error instanceof Error) handleShownError(error);
  window.alert(error instanceof Error ? messageOf(error) : String(error));
}
