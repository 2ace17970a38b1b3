import { lazy, Suspense } from "react";
import { formatCount } from "../lib/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import type { BatchItem } from "./batch.ts";
import styles from "./hosts-add.module.css";

const ViolationPreview = lazy(async () => ({
  default: (await import("../preview/violation-preview.tsx")).ViolationPreview,
}));

function Reason({ outcome }: Pick<BatchItem, "outcome">) {
  if (outcome.state !== "failed") return "Not sent, because adding hosts was interrupted.";
  const { reason, guarantees } = outcome;
  if (guarantees.length === 0) return reason;
  return (
    <Suspense fallback={reason}>
      <ViolationPreview guarantees={guarantees} />
    </Suspense>
  );
}

interface FailedHostsProps {
  items: readonly BatchItem[];
  onCorrect: () => void;
}

/** The rows that were not added, each with its reason. */
export function FailedHosts({ items, onCorrect }: FailedHostsProps) {
  return (
    <Card>
      <div className={styles.stack}>
        <Notice tone="danger">{formatCount(items.length, "host wasn’t", "hosts weren’t")} added.</Notice>
        <ul className={styles.failed}>
          {items.map((item) => (
            <li key={item.id}>
              <bdi className={styles.strong}>{item.row.name}</bdi>: <Reason outcome={item.outcome} />
            </li>
          ))}
        </ul>
        <div className={styles.actions}>
          <Button variant="primary" onClick={onCorrect}>
            Fix and try again
          </Button>
        </div>
      </div>
    </Card>
  );
}
