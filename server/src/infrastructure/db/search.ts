/** A pattern for `ilike` that finds the text as it stands, wherever it stands. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
