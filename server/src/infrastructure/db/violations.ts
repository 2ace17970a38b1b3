/** Does this error say that the named constraint or unique index refused a row? */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === constraint;
}
