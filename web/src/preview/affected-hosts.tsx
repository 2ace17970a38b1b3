import type { AccessPreview } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import styles from "./preview.module.css";

const NAMES_MAX = 3;
const names = new Intl.ListFormat("en");

/** "18 hosts get a new configuration", "db-1, db-2, and 16 more" */
export function AffectedHosts({ preview: { affectedHostCount, affectedHosts } }: { preview: AccessPreview }) {
  const shown = affectedHosts.slice(0, NAMES_MAX).map(({ name }) => name);
  const more = affectedHostCount - shown.length;
  if (affectedHostCount === 0) return null;
  return (
    <div className={styles.change}>
      <p>
        <b>{formatCount(affectedHostCount, "host")}</b> {affectedHostCount === 1 ? "gets" : "get"} a new
        configuration
      </p>
      {shown.length > 0 && (
        <p className={styles.reach}>
          {names.format([...shown, ...(more > 0 ? [`${formatNumber(more)} more`] : [])])}
        </p>
      )}
    </div>
  );
}
