import type { NetworkUpgrade } from "@lightkeeper/contract";
import { LinkButton } from "../ui/controls/button.tsx";
import { networkUpgradePath } from "./network-upgrade.queries.ts";

export function UpgradeActions({
  upgrade: { networkID, canFinish, canRevert },
}: {
  upgrade: NetworkUpgrade;
}) {
  const path = networkUpgradePath(networkID);
  return (
    <>
      {canRevert && (
        <LinkButton writes to={`${path}/revert`}>
          Revert…
        </LinkButton>
      )}
      {canFinish && (
        <LinkButton writes variant="primary" to={`${path}/finish`}>
          Finish upgrade…
        </LinkButton>
      )}
    </>
  );
}
