import * as z from "zod/mini";
import { isPlainLine, isPlainText } from "./characters.ts";

const OVERRIDES_MAX = 100;

/** Values may be texts of several lines, such as keys and certificates. */
function isPlainValue(value: unknown): boolean {
  if (typeof value === "string") return isPlainText(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isPlainLine(key) && isPlainValue(item));
}

/** Which keys there are and what they take is Nebula's business; here only the shape. */
export const ConfigOverride = z.strictObject({ key: z.string().check(z.maxLength(100)), value: z.unknown() });
export const ConfigOverrides = z
  .array(
    z.extend(ConfigOverride, {
      value: z
        .unknown()
        .check(z.refine(isPlainValue, "must not contain control characters or invisible characters")),
    }),
  )
  .check(z.maxLength(OVERRIDES_MAX));
export type ConfigOverrides = z.output<typeof ConfigOverrides>;
