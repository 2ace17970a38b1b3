import type { NetworkV2 } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { NounList } from "../on-demand/noun-list.tsx";
import { NetworkIcon } from "../ui/base/icons.tsx";
import { networkColumns } from "./network-columns.tsx";
import { NETWORK_ADD_PATH } from "../references/network-link.tsx";
import { networksPageQuery } from "../references/networks.queries.ts";

const DeleteNetworkDialog = lazy(() => import("./delete-network-dialog.tsx"));

export function NetworksPage() {
  const [deleting, setDeleting] = useState<NetworkV2>();
  const stopDeleting = () => setDeleting(undefined);
  return (
    <>
      <NounList
        title="Networks"
        lead="Each network is an isolated overlay with its own address range and certificate authority."
        noun="network"
        addPath={NETWORK_ADD_PATH}
        queryOf={networksPageQuery}
        columns={networkColumns({ onDelete: setDeleting })}
        rowKey={({ id }) => id}
        icon={<NetworkIcon />}
        first="Add a network with an address range, then add hosts to it."
      />
      <Suspense>
        {deleting && (
          <DeleteNetworkDialog network={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />
        )}
      </Suspense>
    </>
  );
}
