import { NotFoundError, rotateCa, type CaRotation, type Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { networkQuery } from "../references/networks.queries.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { CAS_PATH } from "./ca-paths.ts";
import { isUnderWay, rotationQuery } from "./certificate-authorities.queries.ts";

/** Begins a rotation, or lets the one under way go on without hosts that are offline. */
export function RotateCaDialog() {
  const { networkID = "" } = useParams();
  const { data: network, error } = useQuery(networkQuery(networkID));
  const { data: rotation } = useQuery(rotationQuery(networkID));
  if (error instanceof NotFoundError) throw error;
  if (!network || rotation === undefined) return null;
  return <RotateCa network={network} rotation={rotation} />;
}

function wordsOf({ name, hostCount }: Network, rotation: CaRotation | null) {
  if (isUnderWay(rotation))
    return {
      title: `Go on without the offline hosts of ${name}?`,
      consequence:
        "This step no longer waits for hosts that are offline. One that comes back after the old authority is retired may have to be enrolled again.",
      confirmLabel: "Go on without them",
      done: `The rotation of ${name} goes on`,
    };
  return {
    title: `Rotate the authority of ${name}?`,
    consequence: `A new authority is made. ${formatCount(hostCount, "host")} of ${name} learn to trust it, then get certificates of it, and then the old one is retired. No connection is lost; each step waits for every host, so one that stays offline holds it up.`,
    confirmLabel: "Rotate",
    done: `The authority of ${name} is being rotated`,
  };
}

function RotateCa({ network, rotation }: { network: Network; rotation: CaRotation | null }) {
  const { title, consequence, confirmLabel, done } = wordsOf(network, rotation);
  usePageTitle(`Rotate ${network.name}`);
  const navigate = useNavigate();
  const close = () => void navigate(CAS_PATH, { replace: true, preventScrollReset: true });
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(rotateCa, {
    invalidates: ["certificate-authorities"],
    onSuccess: () => {
      toast(done, { tone: "ok" });
      close();
    },
    onError: renew,
  });
  return (
    <ConfirmDialog
      open
      title={title}
      consequence={consequence}
      confirmLabel={confirmLabel}
      danger={isUnderWay(rotation)}
      typedName={network.name}
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { networkID: network.id }, body: { force: isUnderWay(rotation) } })}
    />
  );
}
