import type { ConfigOverrides } from "@lightkeeper/contract";
import { checkOverride, isOverrideKey } from "@lightkeeper/nebula";
import { requireNoProblems } from "../../infrastructure/errors/api-error.ts";

/**
 * Refuses overrides that Nebula does not know, cannot take or would have to choose between, all at once. `at`: what
 * the caller calls a property.
 */
export function checkOverrides(
  overrides: ConfigOverrides,
  at: (property: string) => string = (property) => property,
): void {
  const faults: { code: "ERR_INVALID_VALUE"; path: string; message: string }[] = [];
  const refuse = (path: string, message: string) =>
    faults.push({ code: "ERR_INVALID_VALUE", path: at(`configOverrides${path}`), message });
  const seen = new Set<string>();
  for (const [index, { key, value }] of overrides.entries()) {
    if (seen.has(key)) refuse(`[${index}].key`, "must not be given twice");
    seen.add(key);
    const sentence = checkOverride(key, value);
    if (sentence !== undefined) refuse(`[${index}].${isOverrideKey(key) ? "value" : "key"}`, sentence);
  }
  requireNoProblems(faults);
}
