import { getAttention, updateNetwork, type Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useNavigate, useParams } from "react-router";
import { formatCount } from "../lib/format.ts";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useRead, useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { HostHealth } from "../references/host-health.tsx";
import { networkCrumbs, NETWORKS_PATH } from "../references/network-link.tsx";
import { NetworkForm } from "./network-form.tsx";
import type { NetworkValues } from "./network-values.ts";
import { networkQuery } from "../references/networks.queries.ts";

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

function EditNetwork({ network }: { network: Network }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateNetwork);

  async function save({ name, description, lighthousesAsRelays }: NetworkValues) {
    const body = { name, description, lighthousesAsRelays };
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
        <DangerZone network={network} />
      </Cards>
    </EditPage>
  );
}

/** Counts all hosts of the network, like its details. */
function NetworkHealth({ id }: Pick<Network, "id">) {
  const { data } = useRead(getAttention, { query: { "filter.networkID": id } });
  const list = new URLSearchParams({ "filter.networkID": id, "filter.kind": "any" });
  return <HostHealth health={data?.health} list={list} />;
}

function NetworkDetails({ network }: { network: Network }) {
  const { id, cidr, signingCAID, hostCount, createdAt } = network;
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <CopyableKeyValue label="CIDR" value={cidr} />
        <KeyValue label="Hosts">{formatCount(hostCount, "host")}</KeyValue>
        <CopyableKeyValue label="Network ID" value={id} />
        <CopyableKeyValue label="Signing CA ID" value={signingCAID} />
        <TimeKeyValue label="Created" at={createdAt} />
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ network }: { network: Network }) {
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
