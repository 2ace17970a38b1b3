/** The hash of a link to a rule in the form of its role, tag or route: "#rule-2". */
export const ruleHash = (index: number): string => `#rule-${index + 1}`;

/** The index of the rule, or undefined if the hash names none. */
export function readRuleHash(hash: string): number | undefined {
  const [, number] = /^#rule-(\d+)$/.exec(hash) ?? [];
  return number === undefined ? undefined : Number(number) - 1;
}
