/** Describes firewall rules of an audit entry. */
import {
  differences,
  isRecord,
  recordsOf,
  type Snapshot,
  textOf,
  textsOf,
} from "../references/audit-snapshots.ts";
import { joinParts, type Part } from "../references/audit-target.ts";

function describePorts(protocol: string, range: unknown): string {
  if (protocol === "ICMP") return "ICMP";
  const [from, to] = isRecord(range) ? [range.from, range.to] : [];
  if (typeof from !== "number" || typeof to !== "number")
    return protocol === "ANY" ? "all traffic" : `all ${protocol}`;
  const ports = from === to ? String(from) : `${from}–${to}`;
  return protocol === "ANY" ? `any protocol on ${ports}` : `${protocol} ${ports}`;
}

function describeSource(rule: Snapshot): Part[] {
  const roleID = textOf(rule.allowedRoleID);
  const tags = textsOf(rule.allowedTags);
  if (roleID === undefined && tags.length === 0) return ["any host"];
  const role: Part[] = roleID === undefined ? ["hosts"] : ["role ", { object: { type: "role", id: roleID } }];
  const tagged = tags.map((tag): Part[] => ["tag ", { object: { type: "tag", id: tag, name: tag } }]);
  return [...role, ...(tagged.length > 0 ? [" with ", ...joinParts(tagged)] : [])];
}

/** "TCP 22 from role Ops with tag env:prod" */
export const describeRule = (rule: Snapshot): Part[] => [
  { strong: describePorts(textOf(rule.protocol) ?? "ANY", rule.portRange) },
  " from ",
  ...describeSource(rule),
];

/** With more rules than this, only their number is shown. */
const DESCRIBED_RULES_MAX = 2;

const countRules = (count: number) => `${count} ${count === 1 ? "rule" : "rules"}`;

/** "added TCP 22 from role Ops to role Database", "added 3 rules and removed 1 rule of role Database". */
export function describeRuleChange(before: unknown, after: unknown, owner: Part[]): Part[] {
  const { added, removed } = differences(recordsOf(before), recordsOf(after));
  const changes = [
    { verb: "added ", preposition: " to ", rules: added },
    { verb: "removed ", preposition: " from ", rules: removed },
  ].filter(({ rules }) => rules.length > 0);
  const [first, second] = changes;
  if (!first) return ["reordered the rules of ", ...owner];
  if (added.length + removed.length > DESCRIBED_RULES_MAX) {
    const counts = changes.map(({ verb, rules }): Part[] => [verb + countRules(rules.length)]);
    return [...joinParts(counts), " of ", ...owner];
  }
  return [
    ...joinParts(changes.map(({ verb, rules }) => [verb, ...joinParts(rules.map(describeRule))])),
    second ? " in " : first.preposition,
    ...owner,
  ];
}
