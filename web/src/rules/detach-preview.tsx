import type { ChangedRule, Dependents, RuleOwner } from "@lightkeeper/contract";
import { Link } from "react-router";
import { hostsPath, type HostListFilter } from "../references/host-count-link.tsx";
import { DependentLink } from "../on-demand/dependents.tsx";
import { formatCount, formatNumber } from "../lib/format.ts";
import { RuleSentence } from "./rule-sentence.tsx";
import { toRuleValues } from "./rule-values.ts";
import styles from "./detach.module.css";

interface DetachPreviewProps {
  /** The kind of object that is deleted. */
  noun: "role" | "tag";
  /** Finds the hosts that have it. */
  filter: HostListFilter;
  dependents: Dependents;
}

/** What changes when a role or tag is removed from everything that uses it. Empty if nothing uses it. */
export function DetachPreview(props: DetachPreviewProps) {
  const { hostCount, ruleCount, isUsedForDevices } = props.dependents;
  return (
    <>
      {hostCount > 0 && <AffectedHosts {...props} />}
      {ruleCount > 0 && <AffectedRules {...props} />}
      {isUsedForDevices && (
        <p>
          <Link to="/settings/sso" className={styles.link}>
            Single sign-on
          </Link>{" "}
          no longer assigns this {props.noun} to new devices.
        </p>
      )}
    </>
  );
}

function AffectedHosts({ noun, filter, dependents: { hostCount, hosts } }: DetachPreviewProps) {
  const more = hostCount - hosts.length;
  return (
    <section>
      <h2 className={styles.heading}>
        {formatCount(hostCount, "host loses", "hosts lose")} this {noun}
      </h2>
      <ul className={styles.hosts}>
        {hosts.map((host) => (
          <li key={host.id}>
            <DependentLink dependent={host} />
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link to={hostsPath(filter)} className={styles.link}>
              and {formatNumber(more)} more
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

function AffectedRules({ noun, dependents }: DetachPreviewProps) {
  const { ruleCount, removedRuleCount, ruleOwnerCount, ruleOwners } = dependents;
  const more = ruleOwnerCount - ruleOwners.length;
  return (
    <section>
      <h2 className={styles.heading}>{formatCount(ruleCount, "rule changes", "rules change")}</h2>
      {ruleCount > removedRuleCount && (
        <p className={styles.note}>
          Rules with other conditions no longer require this {noun}, so they can allow more hosts.
        </p>
      )}
      {removedRuleCount > 0 && (
        <p className={styles.note}>
          Rules without other conditions are removed. Otherwise they would allow any host.
        </p>
      )}
      {ruleOwners.map((owner) => (
        <Owner key={`${owner.type} ${owner.id}`} owner={owner} />
      ))}
      {more > 0 && (
        <p className={styles.note}>
          and {formatCount(more, "more role, tag or route", "more roles, tags and routes")}
        </p>
      )}
    </section>
  );
}

const ownerLabels = { role: "Role", tag: "Tag", route: "Route" } as const;

function Owner({ owner }: { owner: RuleOwner }) {
  return (
    <div className={styles.owner}>
      <p>
        {ownerLabels[owner.type]} <DependentLink dependent={owner} />
      </p>
      <ul className={styles.rules}>
        {owner.rules.map((rule, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- Rules have no ID.
          <li key={index}>
            <Change rule={rule} isRoute={owner.type === "route"} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Change({ rule: { before, after }, isRoute }: { rule: ChangedRule; isRoute: boolean }) {
  return (
    <>
      <del className={styles.before}>
        <RuleSentence rule={toRuleValues(before)} isRoute={isRoute} />
      </del>
      {after ? (
        <div>
          <b className={styles.changed}>Changed to</b>{" "}
          <RuleSentence rule={toRuleValues(after)} isRoute={isRoute} />
        </div>
      ) : (
        <div>
          <b className={styles.removed}>Removed</b>
        </div>
      )}
    </>
  );
}
