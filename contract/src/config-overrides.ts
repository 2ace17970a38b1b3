import * as z from "zod/mini";
import { isPlainLine, isPlainText } from "./characters.ts";

const OVERRIDES_MAX = 100;

/** Values may have several lines, such as keys and certificates. */
function isPlainValue(value: unknown): boolean {
  if (typeof value === "string") return isPlainText(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isPlainLine(key) && isPlainValue(item));
}

/** Validates the shape only; @lightkeeper/nebula validates keys and values. */
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
