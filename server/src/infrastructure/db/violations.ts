import { ApiError } from "../errors/api-error.ts";

/** Whether the error is a violation of this constraint or unique index. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === constraint;
}

/** Throws `ERR_DUPLICATE_VALUE` for the property if the write violates the unique index. */
export async function requireUnique<T>(
  write: Promise<T>,
  { index, path }: { index: string; path: string },
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (violates(error, index)) throw new ApiError("ERR_DUPLICATE_VALUE", { path });
    throw error;
  }
}
