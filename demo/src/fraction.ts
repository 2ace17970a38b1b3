import { createHash } from "node:crypto";

/** From 0 to 1, the same for the same text. */
export const fractionOf = (text: string): number =>
  createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
