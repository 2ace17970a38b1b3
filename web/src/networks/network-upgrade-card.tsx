import { networkUpgradeSteps, type NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "../lib/format.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Time } from "../ui/text/time.tsx";
import { upgradeTexts } from "./network-upgrade-steps.ts";
import { isUpgrading, networkUpgradePath, networkUpgradeQuery } from "./network-upgrade.queries.ts";
import styles from "./networks.module.css";

/** Leads to the upgrade of a network: to start it, to follow it, or to see when it was completed. The default export is for `lazy()`. */
export default function NetworkUpgradeCard({ network: { id, certVersion } }: { network: NetworkV2 }) {
  const { data: upgrade } = useQuery(networkUpgradeQuery(id));
  const path = networkUpgradePath(id);
  if (upgrade === undefined || (upgrade === null && certVersion === 2)) return null;
  if (upgrade === null)
    return (
      <Card title="IPv6">
        <div className={styles.action}>
          <p>
            This network has only IPv4 addresses. Upgrade it to version 2 certificates to add an IPv6 address
            to every host.
          </p>
          <LinkButton writes to={path}>
            Upgrade to IPv6…
          </LinkButton>
        </div>
      </Card>
    );
  const { step, stepStartedAt, isReverting, waitingFor } = upgrade;
  return (
    <Card title="Upgrade to IPv6">
      <div className={styles.action}>
        {isUpgrading(upgrade) ? (
          <p>
            {isReverting
              ? "The upgrade to version 2 certificates is being reverted."
              : `Step ${networkUpgradeSteps.indexOf(step) + 1} of ${networkUpgradeSteps.length}: ${upgradeTexts.labels[step]}.`}{" "}
            {waitingFor.hostCount > 0 && `Waiting for ${formatCount(waitingFor.hostCount, "host")}.`}
            {upgrade.canFinish && "All hosts are ready for the last step."}
          </p>
        ) : (
          <p>
            The upgrade to version 2 certificates was completed <Time at={stepStartedAt} past />.
          </p>
        )}
        <LinkButton to={path}>View upgrade</LinkButton>
      </div>
    </Card>
  );
}
