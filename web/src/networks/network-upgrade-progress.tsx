import { networkUpgradeSteps, type NetworkUpgrade } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { StepList } from "../ui/on-demand/step-list.tsx";
import { Card } from "../ui/pages/card.tsx";
import { CopyableKeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { WaitingHostsTable } from "./network-upgrade-hosts.tsx";
import { revertSteps, revertTexts, upgradeTexts } from "./network-upgrade-steps.ts";
import { networkUpgradePath } from "./network-upgrade.queries.ts";
import styles from "./network-upgrade.module.css";

interface UpgradeProps {
  upgrade: NetworkUpgrade;
}

/** The default export is for `lazy()`. */
export default function UpgradeProgress({ upgrade }: UpgradeProps) {
  const { isReverting, cidr, startedAt, waitingFor } = upgrade;
  return (
    <>
      <Card title={isReverting ? "Reverting the upgrade" : "Upgrade in progress"}>
        <Steps upgrade={upgrade} />
      </Card>
      {waitingFor.hostCount > 0 && <WaitingHosts upgrade={upgrade} />}
      <Card title="Details" padded={false}>
        <KeyValueList>
          <CopyableKeyValue label="IPv6 CIDR" value={cidr} />
          <TimeKeyValue label="Started" at={startedAt} />
        </KeyValueList>
      </Card>
    </>
  );
}

function Steps({ upgrade }: UpgradeProps) {
  const { step, isReverting } = upgrade;
  const revertStep = revertSteps.find((one) => one === step);
  if (isReverting && revertStep)
    return (
      <StepList steps={revertSteps} labels={revertTexts.labels} current={revertStep}>
        <StepDetail upgrade={upgrade} description={revertTexts.descriptions[revertStep]} />
      </StepList>
    );
  return (
    <StepList steps={networkUpgradeSteps} labels={upgradeTexts.labels} current={step}>
      <StepDetail upgrade={upgrade} description={upgradeTexts.descriptions[step]} />
    </StepList>
  );
}

function StepDetail({ upgrade, description }: UpgradeProps & { description: string }) {
  return (
    <>
      <p>{description}</p>
      <p>
        Started <Time at={upgrade.stepStartedAt} past />. <span role="status">{progressOf(upgrade)}</span>
      </p>
    </>
  );
}

function progressOf({ step, isForced, canFinish, waitingFor: { hostCount } }: NetworkUpgrade): string {
  if (hostCount > 0) {
    const skipped = isForced ? " Hosts that are offline or don’t report are skipped." : "";
    return `Waiting for ${formatCount(hostCount, "host")}.${skipped}`;
  }
  if (canFinish) return "All hosts are ready. Finish the upgrade to remove the version 1 certificates.";
  if (step === "ONLY")
    return "All hosts are done. The old CA is retired after all tunnels are renewed, in about a minute.";
  return "All hosts are done. The next step starts automatically.";
}

function WaitingHosts({ upgrade }: UpgradeProps) {
  const { networkID, step, isForced, waitingFor } = upgrade;
  const { hostCount, hosts } = waitingFor;
  return (
    <section className={styles.hosts} aria-labelledby="waiting-hosts">
      <header className={styles.hostsHeader}>
        <h2 id="waiting-hosts" className={styles.hostsTitle}>
          Waiting for {formatCount(hostCount, "host")}
        </h2>
        {!isForced && (
          <LinkButton writes size="small" to={`${networkUpgradePath(networkID)}/skip`}>
            Skip hosts…
          </LinkButton>
        )}
      </header>
      <WaitingHostsTable hosts={hosts} showsNebula={step === "NEBULA"} />
      {hostCount > hosts.length && (
        <p className={styles.more}>
          The first {formatNumber(hosts.length)} of {formatNumber(hostCount)} hosts.
        </p>
      )}
    </section>
  );
}
