import type { NetworkUpgrade, NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useParams } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { PageTitle } from "../lib/title.ts";
import { networkCrumbs, networkPath } from "../references/network-link.tsx";
import { networkQuery } from "../references/networks.queries.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Cards, FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { CopyableKeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { UpgradeActions } from "./network-upgrade-actions.tsx";
import { isUpgrading, networkUpgradeQuery } from "./network-upgrade.queries.ts";

const UpgradeStart = lazy(() => import("./network-upgrade-start.tsx"));
const UpgradeProgress = lazy(() => import("./network-upgrade-progress.tsx"));
const NetworkUpgradeDialog = lazy(() => import("./network-upgrade-dialogs.tsx"));

const TITLE = "Upgrade network";

/** Upgrades a network to version 2 certificates, and shows the progress. */
export function NetworkUpgradePage() {
  const { networkID = "" } = useParams();
  const networks = useQuery(networkQuery(networkID));
  const upgrades = useQuery(networkUpgradeQuery(networkID));
  return (
    <Loaded query={networks} title={TITLE} crumbs={networkCrumbs}>
      {(network) => (
        <Loaded query={upgrades} title={TITLE} crumbs={networkCrumbs}>
          {(upgrade) => <UpgradeOfNetwork network={network} upgrade={upgrade} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface UpgradeOfNetworkProps {
  network: NetworkV2;
  upgrade: NetworkUpgrade | null;
}

function UpgradeOfNetwork({ network, upgrade }: UpgradeOfNetworkProps) {
  const { action } = useParams();
  const crumbs = [...networkCrumbs, { label: network.name, to: networkPath(network.id) }];
  return (
    <FormPage>
      {!action && <PageTitle>{`Upgrade ${network.name}`}</PageTitle>}
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={crumbs} />}
        title={
          <>
            Upgrade <bdi>{network.name}</bdi>
          </>
        }
        lead="Version 2 certificates give every host an IPv6 address in addition to its IPv4 address."
        actions={isUpgrading(upgrade) && <UpgradeActions upgrade={upgrade} />}
      />
      <Cards>
        <Suspense fallback={<Spinner delayed />}>
          <UpgradeState network={network} upgrade={upgrade} />
        </Suspense>
      </Cards>
      <Suspense>
        {action && <NetworkUpgradeDialog action={action} network={network} upgrade={upgrade} />}
      </Suspense>
    </FormPage>
  );
}

function UpgradeState({ network, upgrade }: UpgradeOfNetworkProps) {
  if (isUpgrading(upgrade)) return <UpgradeProgress upgrade={upgrade} />;
  if (upgrade) return <UpgradeCompleted upgrade={upgrade} />;
  return network.certVersion === 1 ? (
    <UpgradeStart network={network} />
  ) : (
    <NothingToUpgrade network={network} />
  );
}

function UpgradeCompleted({ upgrade: { cidr, startedAt, stepStartedAt } }: { upgrade: NetworkUpgrade }) {
  return (
    <>
      <Card title="Upgrade completed" padded={false}>
        <KeyValueList>
          <TimeKeyValue label="Completed" at={stepStartedAt} />
          <TimeKeyValue label="Started" at={startedAt} />
          <CopyableKeyValue label="IPv6 CIDR" value={cidr} />
        </KeyValueList>
      </Card>
      <Card title="Use IPv6">
        <p>
          Hosts use their IPv6 addresses after Nebula restarts on them, for example after you restart the
          agent.
        </p>
      </Card>
    </>
  );
}

function NothingToUpgrade({ network }: { network: NetworkV2 }) {
  return (
    <Card>
      <EmptyState
        title="This network doesn’t need an upgrade"
        action={<LinkButton to={networkPath(network.id)}>View network</LinkButton>}
      >
        The network was created with version 2 certificates.
      </EmptyState>
    </Card>
  );
}
