/** Values of rows that PostgreSQL reads from JSON. */

export const toHexText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`;
