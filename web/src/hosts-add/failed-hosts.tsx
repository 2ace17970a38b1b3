import { formatCount } from "../lib/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import type { BatchItem } from "./batch.ts";
import styles from "./hosts-add.module.css";

const reasonOf = ({ outcome }: BatchItem) =>
  outcome.state === "failed" ? outcome.reason : "It was not sent, because the work was interrupted.";

interface RefusedHostsProps {
  items: readonly BatchItem[];
  onCorrect: () => void;
}

/** The rows that are no hosts yet, each with its reason. */
export function RefusedHosts({ items, onCorrect }: RefusedHostsProps) {
  return (
    <Card>
      <div className={styles.stack}>
        <Notice tone="danger">{formatCount(items.length, "host was", "hosts were")} not added.</Notice>
        <ul className={styles.refused}>
          {items.map((item) => (
            <li key={item.id}>
              <bdi className={styles.strong}>{item.row.name}</bdi>: {reasonOf(item)}
            </li>
          ))}
        </ul>
        <div className={styles.actions}>
          <Button variant="primary" onClick={onCorrect}>
            Correct and try again
          </Button>
        </div>
      </div>
    </Card>
  );
}
