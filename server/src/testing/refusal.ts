import { type ErrorEntry, RequestError } from "@lightkeeper/contract";

/** Returns the error of a rejected call; throws if the call succeeds. */
export async function failure(call: Promise<unknown>): Promise<RequestError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof RequestError) return outcome;
  throw outcome ?? new Error("The call was not rejected");
}

export async function refusal(call: Promise<unknown>): Promise<ErrorEntry[]> {
  return [...(await failure(call)).errors];
}

export async function refusalCodes(call: Promise<unknown>): Promise<string[]> {
  return (await refusal(call)).map(({ code }) => code);
}

/** Returns "done" or the error code, for races where either may happen. */
export function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) =>
      error instanceof RequestError ? (error.errors[0]?.code ?? "") : Promise.reject(error),
  );
}
