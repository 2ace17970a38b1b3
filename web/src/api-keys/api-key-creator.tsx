import type { ApiKey } from "@lightkeeper/contract";
import styles from "./api-keys.module.css";

export function ApiKeyCreator({ createdBy }: Pick<ApiKey, "createdBy">) {
  return createdBy ? <bdi className={styles.creator}>{createdBy.email}</bdi> : "Not recorded";
}
