/** Finds the first message in nested errors: the server reports parts of a field, such as `configOverrides[0].value`. */
export function firstErrorMessage(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("message" in error && typeof error.message === "string") return error.message;
  return Object.values(error).map(firstErrorMessage).find(Boolean);
}
