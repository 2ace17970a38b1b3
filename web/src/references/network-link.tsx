import type { NetworkV2 } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export const NETWORKS_PATH = "/settings/networks";
export const NETWORK_ADD_PATH = "/settings/networks/add";
export const networkPath = (id: string) => `${NETWORKS_PATH}/${encodeURIComponent(id)}`;

/** The breadcrumbs of a network's pages. */
export const networkCrumbs = [{ label: "Networks", to: NETWORKS_PATH }];

export function NetworkLink({ network }: { network: Pick<NetworkV2, "id" | "name"> }) {
  return <NameLink to={networkPath(network.id)}>{network.name}</NameLink>;
}
