import type { Network } from "@lightkeeper/contract";
import { Link } from "react-router";
import styles from "./networks.module.css";

export const NETWORKS_PATH = "/settings/networks";
export const NETWORK_ADD_PATH = "/settings/networks/add";
export const networkPath = (id: string) => `${NETWORKS_PATH}/${encodeURIComponent(id)}`;

/** The way to a network's pages. */
export const networkCrumbs = [{ label: "Networks", to: NETWORKS_PATH }];

export function NetworkLink({ network }: { network: Pick<Network, "id" | "name"> }) {
  return (
    <Link to={networkPath(network.id)} className={styles.link} dir="auto">
      {network.name}
    </Link>
  );
}
