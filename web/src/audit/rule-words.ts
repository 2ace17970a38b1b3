/** Firewall rules as the log kept them, in words. */
import { listing, type Part } from "./parts.ts";
import { differences, isRecord, recordsOf, type Snapshot, textOf, textsOf } from "./snapshots.ts";

function portWords(protocol: string, range: unknown): string {
  if (protocol === "ICMP") return "ICMP";
  const [from, to] = isRecord(range) ? [range.from, range.to] : [];
  if (typeof from !== "number" || typeof to !== "number")
    return protocol === "ANY" ? "everything" : `all ${protocol}`;
  const ports = from === to ? String(from) : `${from}–${to}`;
  return protocol === "ANY" ? `any protocol on ${ports}` : `${protocol} ${ports}`;
}

function sourceWords(rule: Snapshot): Part[] {
  const roleID = textOf(rule.allowedRoleID);
  const tags = textsOf(rule.allowedTags);
  if (roleID === undefined && tags.length === 0) return ["any host"];
  const role: Part[] = roleID === undefined ? ["hosts"] : ["role ", { thing: { type: "role", id: roleID } }];
  const tagged = tags.map((tag): Part[] => ["tag ", { thing: { type: "tag", id: tag, name: tag } }]);
  return [...role, ...(tagged.length > 0 ? [" with ", ...listing(tagged)] : [])];
}

/** "TCP 22 from role Ops with tag env:prod" */
export const ruleWords = (rule: Snapshot): Part[] => [
  { strong: portWords(textOf(rule.protocol) ?? "ANY", rule.portRange) },
  " from ",
  ...sourceWords(rule),
];

/** More than these are counted instead. */
const RULES_TOLD = 2;

const countWords = (count: number) => `${count} ${count === 1 ? "rule" : "rules"}`;

/** "added TCP 22 from role Ops to role Database", "added 3 rules and removed 1 rule of role Database". */
export function ruleChangeWords(before: unknown, after: unknown, whose: Part[]): Part[] {
  const { added, removed } = differences(recordsOf(before), recordsOf(after));
  const acts = [
    { verb: "added ", rules: added },
    { verb: "removed ", rules: removed },
  ].filter(({ rules }) => rules.length > 0);
  if (acts.length === 0) return ["put the rules of ", ...whose, " in another order"];
  if (added.length + removed.length > RULES_TOLD) {
    const counted = acts.map(({ verb, rules }): Part[] => [verb + countWords(rules.length)]);
    return [...listing(counted), " of ", ...whose];
  }
  return [
    ...listing(acts.map(({ verb, rules }) => [verb, ...listing(rules.map(ruleWords))])),
    " to ",
    ...whose,
  ];
}
