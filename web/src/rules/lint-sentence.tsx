import type { RuleLint } from "@lightkeeper/contract";
import { formatNumber } from "../lib/format.ts";
import { useRoleName } from "../references/roles.queries.ts";
import { formatPorts, serviceLabel } from "./port-values.ts";
import { ruleTraffic } from "./rule-sentence.tsx";
import type { RuleValues } from "./rule-values.ts";

const list = new Intl.ListFormat("en");

interface LintSentenceProps {
  lint: RuleLint;
  rule: RuleValues;
  /** What the covering rule allows, if it is known: "TCP 22". */
  coverTraffic?: string | undefined;
}

/** What is wrong with a rule: the object, then the consequence. */
export function LintSentence({ lint, rule, coverTraffic }: LintSentenceProps) {
  switch (lint.kind) {
    case "neverMatches":
      return lint.reason === "noHost" ? (
        <>
          No host has <Peers rule={rule} />, so this rule never matches.
        </>
      ) : (
        `${rule.localCIDR} isn’t in the route’s subnets, so this rule never matches.`
      );
    case "covered":
      return coveredText(lint.by, coverTraffic);
    case "broaderThanDescription":
      return `The description says ${list.format(lint.named.map(namedLabel))}, but this rule allows ${allowedLabel(rule)}.`;
    case "anyWithTags":
      return (
        <>
          Adding <Tags names={lint.tags} /> to a host
          {rule.allowedRoleID !== null && (
            <>
              {" "}
              with role <RoleName id={rule.allowedRoleID} />
            </>
          )}{" "}
          lets it reach every port.
        </>
      );
    case "manyPorts":
      return `Nebula stores each of these ${formatNumber(lint.portCount)} ports separately, which uses memory on every host.`;
  }
}

function coveredText(by: readonly number[], coverTraffic: string | undefined): string {
  const [first = 0, ...others] = by;
  if (others.length > 0)
    return `Rules ${list.format(by.map((index) => String(index + 1)))} together already allow this.`;
  return `Rule ${first + 1}${coverTraffic ? ` (${coverTraffic})` : ""} already allows this.`;
}

type Named = Extract<RuleLint, { kind: "broaderThanDescription" }>["named"][number];

/** "SSH", "port 8443", "UDP 8000-8010". */
function namedLabel({ protocol, portRange }: Named): string {
  if (protocol === "ICMP") return "ping";
  if (portRange === null) return protocol;
  const ports = portRange.from === portRange.to ? "port" : "ports";
  return (
    serviceLabel(protocol, portRange) ?? `${protocol === "ANY" ? ports : protocol} ${formatPorts(portRange)}`
  );
}

const allowedLabel = (rule: RuleValues) => ruleTraffic(rule).replace(/^all (TCP|UDP)$/, "$& ports");

function RoleName({ id }: { id: string }) {
  return <bdi>{useRoleName(id) ?? id}</bdi>;
}

/** "tag env:prod", "tags env:prod and tier:db" */
function Tags({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.length === 1 ? "tag" : "tags"}
      {names.map((name, index) => (
        <span key={name}>
          {separatorBefore(index, names.length)}
          <bdi>{name}</bdi>
        </span>
      ))}
    </>
  );
}

function separatorBefore(index: number, count: number): string {
  if (index === 0) return " ";
  return index === count - 1 ? " and " : ", ";
}

function Peers({ rule: { allowedRoleID, allowedTags } }: { rule: RuleValues }) {
  return (
    <>
      {allowedRoleID !== null && (
        <>
          role <RoleName id={allowedRoleID} />
        </>
      )}
      {allowedRoleID !== null && allowedTags.length > 0 && " and "}
      {allowedTags.length > 0 && <Tags names={allowedTags} />}
    </>
  );
}
