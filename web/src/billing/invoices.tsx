import type { Invoice } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { failureOf } from "../lib/list-page.ts";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { ExternalIcon } from "../ui/base/icons.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { formatAmount, formatDay } from "./billing-labels.ts";
import { invoicesQuery } from "./billing.queries.ts";
import styles from "./billing.module.css";

export function Invoices() {
  const { data, error, refetch, isFetching } = useQuery(invoicesQuery);
  return (
    <Card title="Invoices" padded={false}>
      {data ? (
        <InvoiceList invoices={data} />
      ) : error ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <div role="status" aria-label="Loading invoices">
          <SkeletonRows rows={2} />
        </div>
      )}
    </Card>
  );
}

function InvoiceList({ invoices }: { invoices: readonly Invoice[] }) {
  if (invoices.length === 0) return <p className={styles.empty}>No invoices yet.</p>;
  return (
    <ul className={styles.invoices}>
      {invoices.map((invoice) => (
        <li key={invoice.id} className={styles.invoice}>
          <InvoiceRow invoice={invoice} />
        </li>
      ))}
    </ul>
  );
}

const statuses: Readonly<Record<Invoice["status"], { tone: StatusProps["tone"]; label: string }>> = {
  paid: { tone: "ok", label: "Paid" },
  open: { tone: "warn", label: "Open" },
  uncollectible: { tone: "bad", label: "Uncollectible" },
  void: { tone: "off", label: "Void" },
};

function InvoiceRow({
  invoice: { number, status, totalMinor, currency, createdAt, url },
}: {
  invoice: Invoice;
}) {
  const { tone, label } = statuses[status];
  const name = number ?? "Invoice";
  return (
    <>
      <time dateTime={createdAt}>{formatDay(createdAt)}</time>
      {url ? (
        <a href={url} target="_blank" rel="noreferrer" className={styles.link}>
          {name}
          <ExternalIcon width={12} height={12} />
          <VisuallyHidden>, opens in a new tab</VisuallyHidden>
        </a>
      ) : (
        <span>{name}</span>
      )}
      <span className={styles.amount}>{formatAmount(totalMinor, currency)}</span>
      <Status tone={tone}>{label}</Status>
    </>
  );
}
