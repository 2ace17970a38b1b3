import { NotFoundError, rotateCa, type CaRotation, type NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { rejectionOf } from "../preview/violation-preview.tsx";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { networkQuery } from "../references/networks.queries.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { CAS_PATH } from "../references/ca-paths.ts";
import { isInProgress, rotationQuery } from "./certificate-authorities.queries.ts";

/** Starts a rotation, or skips the offline hosts of the one in progress. */
export function RotateCaDialog() {
  const { networkID = "" } = useParams();
  const { data: network, error } = useQuery(networkQuery(networkID));
  const { data: rotation } = useQuery(rotationQuery(networkID));
  if (error instanceof NotFoundError) throw error;
  if (!network || rotation === undefined) return null;
  return <RotateCa network={network} rotation={rotation} />;
}

function dialogTextsOf({ name }: NetworkV2, rotation: CaRotation | null) {
  if (isInProgress(rotation))
    return {
      title: `Skip the offline hosts of ${name}?`,
      consequence:
        "The rotation continues without waiting for offline hosts. A host that reconnects after the old CA is retired may have to enroll again.",
      confirmLabel: "Skip offline hosts",
      done: `Rotation of ${name} continues`,
    };
  return {
    title: `Rotate the CA of ${name}?`,
    consequence: `Creates a new CA for ${name}. Hosts first trust it, then get new certificates, then the old CA is retired. Connections stay up. Each step waits for every enrolled host, so an offline host delays it.`,
    confirmLabel: "Rotate",
    done: `Rotating the CA of ${name}`,
  };
}

function RotateCa({ network, rotation }: { network: NetworkV2; rotation: CaRotation | null }) {
  const { title, consequence, confirmLabel, done } = dialogTextsOf(network, rotation);
  usePageTitle(`Rotate ${network.name}`);
  const close = useCloseDialog(CAS_PATH);
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(rotateCa, {
    invalidates: ["certificate-authorities"],
    onSuccess: () => {
      toast(done, { tone: "ok" });
      close();
    },
    rules: [guaranteeViolated],
    onError: renew,
  });
  return (
    <ConfirmDialog
      open
      title={title}
      consequence={consequence}
      confirmLabel={confirmLabel}
      danger={isInProgress(rotation)}
      typedName={network.name}
      pending={isPending}
      error={rejectionOf(error)}
      onClose={close}
      onConfirm={() => mutate({ params: { networkID: network.id }, body: { force: isInProgress(rotation) } })}
    />
  );
}
