import { createHash } from "node:crypto";

/** Without vowels, so that no code spells a word, and without Y, which resembles V. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const GROUP_LENGTH = 4;

/** The short code that a device and its sign-in page show, derived from the token in the login URL. */
export function verificationCodeOf(loginToken: string): string {
  const digest = createHash("sha256").update(`verification code ${loginToken}`).digest();
  const letters = [...digest.subarray(0, 2 * GROUP_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  return `${letters.slice(0, GROUP_LENGTH).join("")}-${letters.slice(GROUP_LENGTH).join("")}`;
}
