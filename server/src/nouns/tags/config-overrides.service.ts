import type { ConfigOverrides } from "@lightkeeper/contract";
import { validateOverride, isOverrideKey } from "@lightkeeper/nebula";
import { requireNoProblems } from "../../infrastructure/errors/api-error.ts";

/** Reports all overrides that are unknown, invalid or duplicate, with the caller's path of each. */
export function requireValidOverrides(
  overrides: ConfigOverrides,
  pathOf: (property: string) => string = (property) => property,
): void {
  const problems: { code: "ERR_INVALID_VALUE"; path: string; message: string }[] = [];
  const addProblem = (path: string, message: string) =>
    problems.push({ code: "ERR_INVALID_VALUE", path: pathOf(`configOverrides${path}`), message });
  const seen = new Set<string>();
  for (const [index, { key, value }] of overrides.entries()) {
    if (seen.has(key)) addProblem(`[${index}].key`, "must be unique");
    seen.add(key);
    const problem = validateOverride(key, value);
    if (problem !== undefined) addProblem(`[${index}].${isOverrideKey(key) ? "value" : "key"}`, problem);
  }
  requireNoProblems(problems);
}
