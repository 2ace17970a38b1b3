/** Codes that people read and type. 120 random bits can't be guessed, even if the hashes, which have no salt, leak. */
import { randomBytes } from "node:crypto";
import { base32 } from "./ids.ts";
import { hashToken } from "./tokens.ts";

const CODE_BYTES = 15;

export const newReadableCode = (): string => base32(randomBytes(CODE_BYTES)).replace(/(.{4})(?=.)/g, "$1-");

/** Ignores case, spaces and hyphens. */
export const hashReadableCode = (code: string): Buffer =>
  hashToken(code.toUpperCase().replace(/[^A-Z2-7]/g, ""));
