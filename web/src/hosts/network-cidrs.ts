import type { NetworkV2 } from "@lightkeeper/contract";

/** The CIDRs of the chosen network; undefined if none is chosen. */
export const cidrsOf = (
  networks: readonly NetworkV2[],
  networkID: string | null,
): readonly string[] | undefined => networks.find(({ id }) => id === networkID)?.cidrs;
