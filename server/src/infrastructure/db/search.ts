/** A pattern for `ilike` that matches the text literally, anywhere in a value. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
