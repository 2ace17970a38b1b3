import { formatCount, formatNumber } from "../lib/format.ts";
import { Notice } from "../ui/feedback/notice.tsx";
import type { BatchItem } from "./batch.ts";
import styles from "./hosts-add.module.css";

export function BatchProgress({ items }: { items: readonly BatchItem[] }) {
  const done = items.filter(({ outcome }) => outcome.state !== "waiting").length;
  return (
    <Notice tone="info">
      Adding {formatCount(items.length, "host")}… {formatNumber(done)} done. You can open other pages, but
      keep this tab open.
      <progress className={styles.progress} aria-label="Adding hosts" value={done} max={items.length} />
    </Notice>
  );
}
