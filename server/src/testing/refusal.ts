import { type ErrorEntry, RequestError } from "@lightkeeper/contract";

/** What a call was refused with; fails when it was not. */
export async function failure(call: Promise<unknown>): Promise<RequestError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof RequestError) return outcome;
  throw outcome ?? new Error("The call was not refused");
}

export async function refusal(call: Promise<unknown>): Promise<ErrorEntry[]> {
  return [...(await failure(call)).errors];
}

export async function refusalCodes(call: Promise<unknown>): Promise<string[]> {
  return (await refusal(call)).map(({ code }) => code);
}

/** "done", or the code of the refusal: for races, where either may come. */
export function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) =>
      error instanceof RequestError ? (error.errors[0]?.code ?? "") : Promise.reject(error),
  );
}
