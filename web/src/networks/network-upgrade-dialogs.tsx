/** The dialogs of an upgrade in progress. Each has a URL, to which the second-factor prompt returns. */
import {
  finishNetworkUpgrade,
  type NetworkUpgrade,
  type NetworkV2,
  revertNetworkUpgrade,
  upgradeNetwork,
} from "@lightkeeper/contract";
import type { ComponentType } from "react";
import { Navigate } from "react-router";
import { queryClient, useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { rejectionOf } from "../preview/violation-preview.tsx";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { toast } from "../ui/feedback/toast.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { upgradeRejected } from "./network-upgrade-rules.ts";
import { isUpgrading, networkUpgradePath, networkUpgradeQuery } from "./network-upgrade.queries.ts";

interface UpgradeDialogProps {
  network: NetworkV2;
  upgrade: NetworkUpgrade;
}

const rules = [upgradeRejected, guaranteeViolated];

/** What the calls of the dialogs have in common. */
function useUpgradeChange({ id }: NetworkV2, describeResult: (upgrade: NetworkUpgrade | null) => string) {
  const close = useCloseDialog(networkUpgradePath(id));
  const renew = useRenewal();
  const onSuccess = (upgrade: NetworkUpgrade | null) => {
    toast(describeResult(upgrade), { tone: "ok" });
    close();
    queryClient.setQueryData(networkUpgradeQuery(id).queryKey, upgrade);
  };
  return { close, options: { onSuccess, rules, onError: renew } };
}

function SkipHostsDialog({ network }: UpgradeDialogProps) {
  usePageTitle(`Skip hosts of ${network.name}`);
  const { close, options } = useUpgradeChange(network, () => `Upgrade of ${network.name} continues`);
  const { mutate, isPending, error } = useWrite(upgradeNetwork, options);
  return (
    <ConfirmDialog
      open
      danger
      title={`Skip hosts of ${network.name}?`}
      consequence="This step continues without hosts that are offline or don’t report. Skipped hosts catch up when their agent reconnects. After the last step, a host can’t reach the others until it has caught up, which needs Nebula 1.10 or newer."
      confirmLabel="Skip hosts"
      typedName={network.name}
      pending={isPending}
      error={rejectionOf(error)}
      onClose={close}
      onConfirm={() => mutate({ params: { networkID: network.id }, body: { force: true } })}
    />
  );
}

function FinishUpgradeDialog({ network }: UpgradeDialogProps) {
  usePageTitle(`Finish the upgrade of ${network.name}`);
  const { close, options } = useUpgradeChange(network, () => `Finishing the upgrade of ${network.name}`);
  const { mutate, isPending, error } = useWrite(finishNetworkUpgrade, options);
  return (
    <ConfirmDialog
      open
      danger
      title={`Finish the upgrade of ${network.name}?`}
      consequence="Hosts give up their version 1 certificates, and the old CA is retired. Connections stay up. Version 1 of the API no longer works for single hosts of this network. You can’t revert the upgrade after this."
      confirmLabel="Finish upgrade"
      typedName={network.name}
      pending={isPending}
      error={rejectionOf(error)}
      onClose={close}
      onConfirm={() => mutate({ params: { networkID: network.id } })}
    />
  );
}

const describeRevert = ({ step, cidr }: NetworkUpgrade) =>
  step === "NEBULA" || step === "TRUST"
    ? "The upgrade ends immediately. Hosts keep their version 1 certificates, and connections stay up."
    : `Hosts keep their version 1 certificates and lose their addresses in ${cidr}. Nebula restarts on every host that already has a second certificate, which interrupts its connections for about a second.`;

function RevertUpgradeDialog({ network, upgrade }: UpgradeDialogProps) {
  const { name } = network;
  usePageTitle(`Revert the upgrade of ${name}`);
  const { close, options } = useUpgradeChange(network, (left) =>
    left ? `Reverting the upgrade of ${name}` : `Upgrade of ${name} reverted`,
  );
  const { mutate, isPending, error } = useWrite(revertNetworkUpgrade, options);
  return (
    <ConfirmDialog
      open
      danger
      title={`Revert the upgrade of ${name}?`}
      consequence={describeRevert(upgrade)}
      confirmLabel="Revert upgrade"
      pending={isPending}
      error={rejectionOf(error)}
      onClose={close}
      onConfirm={() => mutate({ params: { networkID: network.id } })}
    />
  );
}

interface UpgradeAction {
  Dialog: ComponentType<UpgradeDialogProps>;
  isPossible: (upgrade: NetworkUpgrade) => boolean;
}

const actions: ReadonlyMap<string, UpgradeAction> = new Map<string, UpgradeAction>([
  ["skip", { Dialog: SkipHostsDialog, isPossible: ({ isForced }) => !isForced }],
  ["finish", { Dialog: FinishUpgradeDialog, isPossible: ({ canFinish }) => canFinish }],
  ["revert", { Dialog: RevertUpgradeDialog, isPossible: ({ canRevert }) => canRevert }],
]);

interface NetworkUpgradeDialogProps {
  /** From the URL. */
  action: string;
  network: NetworkV2;
  upgrade: NetworkUpgrade | null;
}

/** Shows the page without a dialog if the action isn't possible. The default export is for `lazy()`. */
export default function NetworkUpgradeDialog({ action, network, upgrade }: NetworkUpgradeDialogProps) {
  const { Dialog, isPossible } = actions.get(action) ?? {};
  const isReadOnly = useReadOnly();
  if (isReadOnly || !Dialog || !isUpgrading(upgrade) || !isPossible?.(upgrade))
    return <Navigate to={networkUpgradePath(network.id)} replace />;
  return <Dialog network={network} upgrade={upgrade} />;
}
