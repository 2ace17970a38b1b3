import { getNetworkUpgrade, type NetworkUpgrade } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";
import { networkPath } from "../references/network-link.tsx";

export const networkUpgradePath = (networkID: string) => `${networkPath(networkID)}/upgrade`;

const POLL_MS = 5000;

export const isUpgrading = (upgrade: NetworkUpgrade | null | undefined): upgrade is NetworkUpgrade =>
  upgrade !== null && upgrade !== undefined && upgrade.step !== "DONE";

/** Polls while an upgrade is in progress: the progress of single hosts sends no event. */
export const networkUpgradeQuery = (networkID: string) => ({
  ...read(getNetworkUpgrade, { params: { networkID } }),
  refetchInterval: ({ state }: { state: { data?: NetworkUpgrade | null | undefined } }) =>
    isUpgrading(state.data) ? POLL_MS : false,
});
