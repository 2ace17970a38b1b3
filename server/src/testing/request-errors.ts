import { type ErrorEntry, RequestError } from "@lightkeeper/contract";

/** Returns the error of a rejected call; throws if the call succeeds. */
export async function requestErrorOf(call: Promise<unknown>): Promise<RequestError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof RequestError) return outcome;
  throw outcome ?? new Error("The call was not rejected");
}

export async function errorsOf(call: Promise<unknown>): Promise<ErrorEntry[]> {
  return [...(await requestErrorOf(call)).errors];
}

export async function errorCodesOf(call: Promise<unknown>): Promise<string[]> {
  return (await errorsOf(call)).map(({ code }) => code);
}

/** Returns "done" or the error code, for races where either may happen. */
export function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) =>
      error instanceof RequestError ? (error.errors[0]?.code ?? "") : Promise.reject(error),
  );
}
