import type { Network } from "@lightkeeper/contract";
import { Link } from "react-router";
import styles from "./networks.module.css";

export const networkPath = (id: string) => `/settings/networks/${encodeURIComponent(id)}`;

export function NetworkLink({ network }: { network: Pick<Network, "id" | "name"> }) {
  return (
    <Link to={networkPath(network.id)} className={styles.link}>
      {network.name}
    </Link>
  );
}
