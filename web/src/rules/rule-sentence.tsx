import { useRoleName } from "../references/roles.queries.ts";
import { formatPorts, serviceLabel } from "./port-values.ts";
import { ALL_IPV6_SUBNETS, ALL_SUBNETS, portsProblem, rangesOf, type RuleValues } from "./rule-values.ts";
import styles from "./rules.module.css";

/** The traffic that a rule allows: "TCP 22". */
export function ruleTraffic(rule: RuleValues): string {
  const { protocol } = rule;
  if (protocol === "ICMP") return "ICMP";
  if (portsProblem(rule)) return protocol === "ANY" ? "any protocol" : protocol;
  const ranges = rangesOf(rule);
  if (ranges.includes(null)) return protocol === "ANY" ? "everything" : `all ${protocol}`;
  const ports = new Intl.ListFormat("en").format(ranges.map(formatPorts));
  return protocol === "ANY" ? `any protocol on ${ports}` : `${protocol} ${ports}`;
}

function serviceOf(rule: RuleValues): string | undefined {
  if (rule.protocol === "ICMP") return "ping";
  if (portsProblem(rule)) return undefined;
  const [range, ...others] = rangesOf(rule);
  return range && others.length === 0 ? serviceLabel(rule.protocol, range) : undefined;
}

/** "Allow TCP 22 (SSH) from role Ops with tag env:prod". */
export function RuleSentence({ rule, isRoute }: { rule: RuleValues; isRoute: boolean }) {
  const service = serviceOf(rule);
  return (
    <span className={styles.sentence}>
      Allow <b>{ruleTraffic(rule)}</b>
      {service && <span className={styles.service}> ({service})</span>} from{" "}
      <Source roleID={rule.allowedRoleID} tags={rule.allowedTags} />
      {isRoute && <Target localCIDR={rule.localCIDR} />}
    </span>
  );
}

interface SourceProps {
  roleID: string | null;
  tags: readonly string[];
}

/** "role Ops with tag env:prod" */
function Source({ roleID, tags }: SourceProps) {
  const role = useRoleName(roleID);
  if (roleID === null && tags.length === 0) return <b>any host</b>;
  return (
    <>
      {roleID === null ? (
        "hosts"
      ) : (
        <>
          role{" "}
          <b>
            <bdi>{role ?? roleID}</bdi>
          </b>
        </>
      )}
      {tags.map((tag, index) => (
        <span key={tag}>
          {index === 0 ? " with tag " : " and tag "}
          <b>
            <bdi>{tag}</bdi>
          </b>
        </span>
      ))}
    </>
  );
}

function Target({ localCIDR }: { localCIDR: string }) {
  if (localCIDR === ALL_SUBNETS) return " to all subnets of the route";
  if (localCIDR === ALL_IPV6_SUBNETS) return " to all IPv6 subnets of the route";
  return (
    <>
      {" "}
      to <b>{localCIDR}</b>
    </>
  );
}
