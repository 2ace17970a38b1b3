import { NotFoundError, RequestError, updateNetwork, type Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import { KeyValue, KeyValueList } from "../ui/key-value.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Time } from "../ui/time.tsx";
import { toast } from "../ui/toast.ts";
import { Breadcrumb } from "./breadcrumb.tsx";
import { nothingToLose } from "./leave-guard.tsx";
import { NetworkForm } from "./network-form.tsx";
import type { NetworkValues } from "./network-values.ts";
import { networkQuery } from "./networks.queries.ts";
import styles from "./networks.module.css";

const DeleteNetworkDialog = lazy(() => import("./delete-network-dialog.tsx"));

export function Component() {
  const { networkID = "" } = useParams();
  const { data: network, error, isFetching, refetch } = useQuery(networkQuery(networkID));
  usePageTitle(network ? `Edit ${network.name}` : "Edit network");
  if (error instanceof NotFoundError) throw error;
  if (network) return <EditNetwork key={network.id} network={network} />;
  if (!error) return <Spinner delayed />;
  return (
    <div className={styles.narrow}>
      <PageHeader breadcrumb={<Breadcrumb />} title="Edit network" />
      <Card>
        <ErrorState
          message={messageOf(error)}
          requestID={error instanceof RequestError ? error.requestID : undefined}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      </Card>
    </div>
  );
}

function EditNetwork({ network }: { network: Network }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateNetwork);

  async function save({ name, description, lighthousesAsRelays }: NetworkValues) {
    const body = { name, description, lighthousesAsRelays };
    const saved = await update({ params: { networkID: network.id }, body });
    toast(`Network ${saved.name} saved`, { tone: "ok" });
    await navigate("/settings/networks", nothingToLose);
  }

  return (
    <div className={styles.narrow}>
      <PageHeader breadcrumb={<Breadcrumb />} title={`Edit ${network.name}`} />
      <div className={styles.cards}>
        <Card>
          <NetworkForm network={network} submitLabel="Save" save={save} />
        </Card>
        <Facts network={network} />
        <DangerZone network={network} />
      </div>
    </div>
  );
}

function Facts({ network }: { network: Network }) {
  const { id, cidr, signingCAID, hostCount, createdAt } = network;
  return (
    <Card title="Facts" padded={false}>
      <KeyValueList>
        <KeyValue label="CIDR" mono copy={cidr}>
          {cidr}
        </KeyValue>
        <KeyValue label="Hosts">{formatCount(hostCount, "host")}</KeyValue>
        <KeyValue label="Network ID" mono copy={id}>
          {id}
        </KeyValue>
        <KeyValue label="Signing CA ID" mono copy={signingCAID}>
          {signingCAID}
        </KeyValue>
        <KeyValue label="Created" copy={createdAt}>
          <Time at={createdAt} absolute />
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ network }: { network: Network }) {
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  return (
    <Card title="Delete this network">
      <div className={styles.danger}>
        <p>
          Its addresses become free and its certificate authority is destroyed. Its hosts have to go first.
        </p>
        <Button icon={<TrashIcon />} onClick={() => setDeleting(true)}>
          Delete network…
        </Button>
      </div>
      <Suspense>
        {deleting && (
          <DeleteNetworkDialog
            network={network}
            onClose={() => setDeleting(false)}
            onDeleted={() => navigate("/settings/networks", nothingToLose)}
          />
        )}
      </Suspense>
    </Card>
  );
}
