import { getAttention, updateNetworkV2, type NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { addressFamilyOf } from "../lib/address-family.ts";
import { formatCount } from "../lib/format.ts";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useRead, useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { curveLabels } from "../on-demand/certificate-labels.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { HostHealth } from "../references/host-health.tsx";
import { networkCrumbs, NETWORKS_PATH } from "../references/network-link.tsx";
import { cidrLabel } from "./cidr-label.ts";
import { NetworkForm } from "./network-form.tsx";
import type { NetworkValues } from "./network-values.ts";
import styles from "./networks.module.css";
import { networkQuery } from "../references/networks.queries.ts";

const AddIpv4RangeDialog = lazy(() => import("./add-ipv4-range-dialog.tsx"));
const NetworkUpgradeCard = lazy(() => import("./network-upgrade-card.tsx"));
const DeleteNetworkDialog = lazy(() => import("./delete-network-dialog.tsx"));

export function NetworkEditPage() {
  const { networkID = "" } = useParams();
  const query = useQuery(networkQuery(networkID));
  usePageTitle(query.data ? `Edit ${query.data.name}` : "Edit network");
  return (
    <Loaded query={query} title="Edit network" crumbs={networkCrumbs}>
      {(network) => <EditNetwork key={network.id} network={network} />}
    </Loaded>
  );
}

function EditNetwork({ network }: { network: NetworkV2 }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateNetworkV2);

  async function save({ name, description, lighthousesAsRelays }: NetworkValues) {
    const { disableManagedLighthouses } = network;
    const body = { name, description, lighthousesAsRelays, disableManagedLighthouses };
    const saved = await update({ params: { networkID: network.id }, body });
    toast(`Network ${saved.name} saved`, { tone: "ok" });
    await navigate(NETWORKS_PATH, nothingToLose);
  }

  return (
    <EditPage crumbs={networkCrumbs} name={network.name}>
      <NetworkHealth id={network.id} />
      <Cards>
        <Card>
          <NetworkForm network={network} submitLabel="Save" save={save} />
        </Card>
        <NetworkDetails network={network} />
        {!network.cidrs.some((cidr) => addressFamilyOf(cidr) === "IPv4") && (
          <Ipv4RangeCard network={network} />
        )}
        <Suspense>
          <NetworkUpgradeCard network={network} />
        </Suspense>
        <DangerZone network={network} />
      </Cards>
    </EditPage>
  );
}

/** Counts all hosts of the network, like its details. */
function NetworkHealth({ id }: Pick<NetworkV2, "id">) {
  const { data } = useRead(getAttention, { query: { "filter.networkID": id } });
  const list = new URLSearchParams({ "filter.networkID": id, "filter.kind": "any" });
  return <HostHealth health={data?.health} list={list} />;
}

function NetworkDetails({ network }: { network: NetworkV2 }) {
  const { id, cidrs, certVersion, curve, signingCAID, hostCount, createdAt } = network;
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        {cidrs.map((cidr) => (
          <CopyableKeyValue key={cidr} label={cidrLabel(cidr, cidrs)} value={cidr} />
        ))}
        <KeyValue label="Hosts">{formatCount(hostCount, "host")}</KeyValue>
        <KeyValue label="Certificate version">
          {certVersion === 2 ? "2 (Nebula 1.10 or newer)" : "1 (any version of Nebula)"}
        </KeyValue>
        <KeyValue label="Curve">{curveLabels[curve]}</KeyValue>
        <CopyableKeyValue label="Network ID" value={id} />
        <CopyableKeyValue label="Signing CA ID" value={signingCAID} />
        <TimeKeyValue label="Created" at={createdAt} />
      </KeyValueList>
    </Card>
  );
}

function Ipv4RangeCard({ network }: { network: NetworkV2 }) {
  const [isAdding, setAdding] = useState(false);
  if (useReadOnly()) return null;
  return (
    <Card title="IPv4">
      <div className={styles.action}>
        <p>
          This network has only IPv6 addresses. After you add an IPv4 range, new hosts can have an IPv4
          address too.
        </p>
        <Button onClick={() => setAdding(true)}>Add IPv4 range…</Button>
      </div>
      <Suspense>
        {isAdding && <AddIpv4RangeDialog network={network} onClose={() => setAdding(false)} />}
      </Suspense>
    </Card>
  );
}

function DangerZone({ network }: { network: NetworkV2 }) {
  const navigate = useNavigate();
  return (
    <DeleteCard
      what="network"
      cost="Deletes this network and its certificate authority. Delete all of its hosts first."
    >
      {(close) => (
        <DeleteNetworkDialog
          network={network}
          onClose={close}
          onDeleted={() => navigate(NETWORKS_PATH, nothingToLose)}
        />
      )}
    </DeleteCard>
  );
}
